# A message that comes late on a busy machine has still come.
ExUnit.start(assert_receive_timeout: 5_000)
ExUnit.after_suite(fn _ -> File.rm_rf(Application.fetch_env!(:workbooks, :data_dir)) end)
