# A message that comes late on a busy machine has still come.
ExUnit.start(assert_receive_timeout: 5_000)
