use super::html;

fn rendered(org: &str) -> String {
    let keywords = (vec!["TODO".into(), "A<B".into()], vec!["DONE".into()]);
    html(org, keywords).expect("an ordinary text renders")
}

/// One test per table: each Org text gives exactly the HTML beside it.
macro_rules! renders {
    ($($name:ident: $($org:literal => $html:expr;)+)+) => {
        $(#[test]
        fn $name() {
            $(assert_eq!(rendered($org), $html, "{:?}", $org);)+
        })+
    };
}

renders! {
    a_headline_has_its_level_keyword_priority_and_tags:
        "* A" => "<h1>A</h1>\n";
        "** TODO [#A] Buy [1/2] milk :home:soon:" => concat!(
            r#"<h2><span class="todo TODO">TODO</span> <span class="priority">[#A]</span> Buy "#,
            r#"<span class="cookie">[1/2]</span> milk <span class="tag">home</span> <span class="tag">soon</span></h2>"#,
            "\n");
        "* DONE" => "<h1><span class=\"done DONE\">DONE</span></h1>\n";
        "* A<B c" => "<h1><span class=\"todo AB\">A&lt;B</span> c</h1>\n";
        "* DONER" => "<h1>DONER</h1>\n";

    a_headline_deeper_than_six_says_so_to_readers_of_the_outline:
        "****** A" => "<h6>A</h6>\n";
        "******* A" => "<h6 aria-level=\"7\">A</h6>\n";

    planning_is_text_and_drawers_are_not_shown:
        "* A\nSCHEDULED: <2026-06-11 Thu>\n:PROPERTIES:\n:X: y\n:END:\nb\n:LOGBOOK:\n- c\n:END:\n" =>
            "<h1>A</h1>\n<p class=\"planning\">SCHEDULED: &lt;2026-06-11 Thu&gt;</p>\n<p>b</p>\n";
        "* A\n:PROPERTIES:\n:X:\n:END:\n" => "<h1>A</h1>\n";

    ids_are_anchors_under_a_prefix:
        "* A\n:PROPERTIES:\n:ID: a b\n:END:\n[[id:a b][x]]" =>
            "<h1 id=\"wb-a-b\">A</h1>\n<p><a href=\"#wb-a-b\">x</a></p>\n";
        "* A\n:PROPERTIES:\n:CUSTOM_ID: c\n:END:\n[[#c]]" =>
            "<h1><span id=\"wb-c\"></span>A</h1>\n<p><a href=\"#wb-c\">#c</a></p>\n";
        "<<c>>d" => "<p><span id=\"wb-c\"></span>d</p>\n";

    emphasis_is_markup:
        "*b* /i/ _u_ +s+ =v= ~c~ x_{1} y^{2}" => concat!(
            "<p><b>b</b> <i>i</i> <u>u</u> <s>s</s> <code>v</code> <code>c</code> ",
            "x<sub>1</sub> y<sup>2</sup></p>\n");
        "*a /b/ c*" => "<p><b>a <i>b</i> c</b></p>\n";
        "=<b>=" => "<p><code>&lt;b&gt;</code></p>\n";
        "done_when and set^state" => "<p>done_when and set^state</p>\n";

    text_is_escaped:
        "<script>alert(\"1\" + '2') && 3</script>" =>
            "<p>&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;) &amp;&amp; 3&lt;/script&gt;</p>\n";
        "a\0b" => "<p>a\u{FFFD}b</p>\n";
        "\\alpha \\lt{} \\_  \\unknown" => "<p>&alpha; &lt; &nbsp;\\unknown</p>\n";

    links_on_the_list_are_links:
        "[[https://a.org/?b&c][d *e*]]" =>
            "<p><a href=\"https://a.org/?b&amp;c\" rel=\"noopener noreferrer\">d <b>e</b></a></p>\n";
        "[[mailto:a@b.org]]" =>
            "<p><a href=\"mailto:a@b.org\" rel=\"noopener noreferrer\">mailto:a@b.org</a></p>\n";
        "[[./c d.html][e]]" => "<p><a href=\"./c%20d.html\" rel=\"noopener noreferrer\">e</a></p>\n";
        "[[https://a.org/\" onclick=\"x][e]]" =>
            "<p><a href=\"https://a.org/&quot;%20onclick=&quot;x\" rel=\"noopener noreferrer\">e</a></p>\n";

    other_links_are_text:
        "[[javascript:alert(1)][a]]" => "<p>a</p>\n";
        "[[JavaScript:alert(1)]]" => "<p>JavaScript:alert(1)</p>\n";
        "[[java\tscript:x][a]]" => "<p>a</p>\n";
        "[[data:text/html;base64,AA][a]]" => "<p>a</p>\n";
        "[[vbscript:x][a]]" => "<p>a</p>\n";
        "[[file:/etc/passwd]]" => "<p>file:/etc/passwd</p>\n";
        "[[Some title]]" => "<p>Some title</p>\n";

    images_come_from_the_web_or_from_beside_the_page:
        "[[./a.png]]" => "<p><img src=\"./a.png\" alt=\"./a.png\"></p>\n";
        "[[https://a.org/b.svg]]" => "<p><img src=\"https://a.org/b.svg\" alt=\"https://a.org/b.svg\"></p>\n";
        "[[data:image/svg+xml,b.svg]]" => "<p>data:image/svg+xml,b.svg</p>\n";
        "[[file:a.png]]" => "<p>file:a.png</p>\n";

    raw_html_leaves_no_trace:
        "#+begin_export html\n<script>x</script>\n#+end_export\n" => "";
        "#+BEGIN_EXPORT html\n<script>x</script>\n#+end_export\n" => "";
        "#+HTML: <script>x</script>\n" => "";
        "#+HTML_HEAD: <style>x</style>\n" => "";
        "a @@html:<script>x</script>@@ b" => "<p>a  b</p>\n";
        "#+ATTR_HTML: :onclick x :style y\na" => "<p>a</p>\n";
        "#+ATTR_HTML: :onerror x\n[[./a.png]]" => "<p><img src=\"./a.png\" alt=\"./a.png\"></p>\n";
        "#+CAPTION: <b>x\n#+NAME: y\na" => "<p>a</p>\n";

    comments_and_keywords_leave_no_trace:
        "# a\n#+TITLE: b\n#+begin_comment\nc\n#+end_comment\n#+CALL: d()\n" => "";

    source_blocks_are_code_of_their_language:
        "#+begin_src rust :out x\nlet a: Vec<u8>;\n#+end_src\n" =>
            "<pre><code class=\"language-rust\">let a: Vec&lt;u8&gt;;\n</code></pre>\n";
        "#+BEGIN_SRC js\n\na\n,* b\n#+end_src\n" => "<pre><code class=\"language-js\">\na\n* b\n</code></pre>\n";
        "#+begin_src x\"onload=\"y\n#+end_src\n" => "<pre><code class=\"language-xonloady\"></code></pre>\n";
        "#+begin_src\na\n#+end_src\n" => "<pre><code>a\n</code></pre>\n";
        "src_c{a<b}" => "<p><code class=\"language-c\">a&lt;b</code></p>\n";

    other_blocks_keep_their_text:
        "#+begin_quote\n*a*\n#+end_quote\n" => "<blockquote><p><b>a</b></p></blockquote>\n";
        "#+begin_example\n<b>\n#+end_example\n" => "<pre class=\"example\">\n&lt;b&gt;\n</pre>\n";
        ": <b>\n: c\n" => "<pre class=\"example\">\n&lt;b&gt;\nc\n</pre>\n";
        "#+begin_verse\na\n b\n#+end_verse\n" => "<pre class=\"verse\">\na\n b\n</pre>\n";
        "#+begin_center\na\n#+end_center\n" => "<div class=\"center\"><p>a</p></div>\n";
        "#+begin_warning x\" onclick=\"y\na\n#+end_warning\n" => "<div class=\"block-warning\"><p>a</p></div>\n";
        "#+ATTR_HTML: x\n#+begin_note\na\n#+end_note\n" => "<div class=\"block-note\"><p>a</p></div>\n";
        "#+begin_quote\na\n" => "<p>#+begin_quote\na</p>\n";

    lists_have_bullets_numbers_terms_and_checkboxes:
        "- a\n- [X] b\n" =>
            "<ul><li><p>a</p></li>\n<li><span class=\"checkbox\">[X]</span> <p>b</p></li></ul>\n";
        "1. a\n2. [@7] b\n" => "<ol><li><p>a</p></li>\n<li value=\"7\"><p>b</p></li></ol>\n";
        "- a\n  - b\n" => "<ul><li><p>a</p>\n<ul><li><p>b</p></li></ul></li></ul>\n";
        "- /a/ :: b\n" => "<dl><dt><i>a</i></dt><dd><p> b</p></dd></dl>\n";

    tables_have_a_head_when_a_rule_follows_it:
        "| a | *b* |\n|---+-----|\n| <c> | d |\n" =>
            "<table><tr><th>a</th><th><b>b</b></th></tr>\n<tr><td>&lt;c&gt;</td><td>d</td></tr></table>\n";
        "| a |\n| b |\n" => "<table><tr><td>a</td></tr>\n<tr><td>b</td></tr></table>\n";
        "+-+\n|<|\n+-+\n" => "<pre class=\"example\">\n+-+\n|&lt;|\n+-+\n</pre>\n";

    footnotes_point_to_their_definition:
        "a[fn:1]\n\n[fn:1] b <c>\n" => concat!(
            "<p>a<sup><a href=\"#wb-fn-1\">1</a></sup></p>\n",
            "<p class=\"footnote\" id=\"wb-fn-1\"><sup>1</sup> b &lt;c&gt;</p>\n");
        "a[fn::b *c*]" => "<p>a<span class=\"footnote\">b <b>c</b></span></p>\n";

    latex_and_macros_are_text:
        "$a<b$ \\(c\\)" => "<p><span class=\"latex\">$a&lt;b$</span> <span class=\"latex\">\\(c\\)</span></p>\n";
        "\\begin{x}\na<b\n\\end{x}\n" => "<pre class=\"latex\">\n\\begin{x}\na&lt;b\n\\end{x}\n</pre>\n";
        "{{{m(<a>)}}}" => "<p><code>{{{m(&lt;a&gt;)}}}</code></p>\n";

    rules_and_line_breaks_are_theirs:
        "a\n-----\nb\\\\\nc" => "<p>a</p>\n<hr>\n<p>b<br>\nc</p>\n";

    any_line_ending_will_do:
        "\u{FEFF}* A\r\n#+BEGIN_SRC c\r\nb\r\n#+END_SRC\r\n" =>
            "<h1>A</h1>\n<pre><code class=\"language-c\">b\n</code></pre>\n";

    no_text_is_no_html:
        "" => "";
        "\n \n" => "";
}
