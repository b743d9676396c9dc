[
  inputs: ["{mix,.formatter}.exs", "{bench,config,lib,mix_compiler,test}/**/*.{ex,exs}"],
  line_length: 110
]
