defmodule Workbooks.WorkedPlans do
  @moduledoc "The worked examples of the specification."

  def broken do
    """
    * Broken workflow :workflow:
    ** Summarize :component:
    #+begin_src js :in events:list :out summary:string
    export default (e) => e;
    #+end_src
    ** Orphan task :component:
    """
  end

  def report(header \\ ":out report:string") do
    """
    * Report :workflow:
    ** Build :component:
    #+begin_src rust #{header}
    #+end_src
    """
  end

  def agent do
    """
    * Agent :workflow:
    ** Remember :component:
    #+begin_src rust :persist :out memory:json
    #+end_src
    ** Act :component:
    #+begin_src js :in memory:json
    #+end_src
    """
  end
end
