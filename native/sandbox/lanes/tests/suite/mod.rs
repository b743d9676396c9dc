mod alone;
mod c;
mod js;
mod python;
mod refusals;
mod ts;
mod world;
