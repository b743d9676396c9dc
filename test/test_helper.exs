# A message that comes late on a busy machine has still come, and a component waits while a compiler is being compiled.
ExUnit.start(assert_receive_timeout: 60_000, timeout: 300_000)
ExUnit.after_suite(fn _ -> File.rm_rf(Application.fetch_env!(:workbooks, :data_dir)) end)
