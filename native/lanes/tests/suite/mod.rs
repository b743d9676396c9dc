mod js;
mod refusals;
mod world;
