import Config

# Every key and its default: see Workbooks.Config.
config :logger, :console, format: "$time [$level] $message\n"

# Tests keep their workbooks to themselves.
if config_env() == :test,
  do: config(:workbooks, data_dir: Path.join(System.tmp_dir!(), "workbooks-test-#{System.pid()}"))
