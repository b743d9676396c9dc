;; Prints what Org itself reads in each file named on the command line, as one line of JSON: headlines and source blocks
;; that are live. Run by tests/emacs.rs.
(require 'org)
(require 'ob)
(require 'org-element)
(require 'json)
(require 'ob-emacs-lisp)

(setq org-todo-keywords
      '((sequence "TODO" "NEXT" "WAITING" "DOING" "STARTED" "BLOCKED" "FAILED" "PARTIAL"
                  "|" "DONE" "CANCELLED" "CANCELED"))
      org-babel-default-header-args nil
      org-babel-default-header-args:emacs-lisp nil
      org-inhibit-startup t
      org-use-tag-inheritance nil)

(defun wb-live (element)
  "Whether ELEMENT stands in no COMMENT subtree."
  (let ((live t))
    (while element
      (when (org-element-property :commentedp element) (setq live nil))
      (setq element (org-element-property :parent element)))
    live))

(defun wb-in-block (element)
  (let (found)
    (while (setq element (org-element-property :parent element))
      (when (memq (org-element-type element) '(quote-block center-block special-block dynamic-block verse-block))
        (setq found t)))
    found))

(defun wb-stamp (stamp)
  (when (and stamp (memq (org-element-property :type stamp) '(active inactive active-range inactive-range)))
    (let ((value (lambda (key) (org-element-property key stamp))))
      `((at . ,(concat (format "%04d-%02d-%02d" (funcall value :year-start) (funcall value :month-start)
                               (funcall value :day-start))
                       (when (funcall value :hour-start)
                         (format "T%02d:%02d" (funcall value :hour-start) (funcall value :minute-start)))))
        (repeat . ,(when (funcall value :repeater-type)
                     (format "%s%d%s"
                             (cdr (assq (funcall value :repeater-type)
                                        '((cumulate . "+") (catch-up . "++") (restart . ".+"))))
                             (funcall value :repeater-value)
                             (substring (symbol-name (funcall value :repeater-unit)) 0 1))))
        (active . ,(if (memq (funcall value :type) '(active active-range)) t :json-false))))))

(defun wb-headline (headline)
  (goto-char (org-element-property :begin headline))
  `((level . ,(org-element-property :level headline))
    (title . ,(org-element-property :raw-value headline))
    (state . ,(org-element-property :todo-keyword headline))
    (tags . ,(vconcat (mapcar #'substring-no-properties (org-element-property :tags headline))))
    (line . ,(line-number-at-pos))
    (props . ,(or (mapcar (lambda (pair) (cons (intern (car pair)) (cdr pair)))
                          (seq-remove (lambda (pair) (equal (car pair) "CATEGORY"))
                                      (org-entry-properties nil 'standard)))
                  (make-hash-table)))
    (scheduled . ,(wb-stamp (org-element-property :scheduled headline)))
    (deadline . ,(wb-stamp (org-element-property :deadline headline)))))

(defun wb-block (block)
  (goto-char (org-element-property :post-affiliated block))
  (let* ((line (line-number-at-pos)) (refused nil)
         (info (condition-case nil (org-babel-get-src-block-info t block) (error (setq refused t) nil))))
    `((line . ,line)
      ,@(when refused '((refused . t)))
      (lang . ,(org-element-property :language block))
      (body . ,(nth 1 info))
      (args . ,(or (mapcar (lambda (pair)
                             (cons (intern (substring (symbol-name (car pair)) 1)) (format "%s" (or (cdr pair) ""))))
                           (nth 2 info))
                   (make-hash-table))))))

(dolist (file command-line-args-left)
  (with-temp-buffer
    (let ((coding-system-for-read 'utf-8)) (insert-file-contents file))
    (delay-mode-hooks (org-mode))
    (let* ((tree (org-element-parse-buffer))
           (all (lambda (type read)
                  (vconcat (org-element-map tree type
                             (lambda (e) (when (and (wb-live e) (not (wb-in-block e))) (funcall read e))))))))
      (princ (json-encode `((headlines . ,(funcall all 'headline #'wb-headline))
                            (blocks . ,(funcall all 'src-block #'wb-block)))))
      (princ "\n"))))
(setq command-line-args-left nil)
