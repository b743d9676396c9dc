import Config

# Every key and its default: see Workbooks.Config.
config :logger, :console, format: "$time [$level] $message\n"
