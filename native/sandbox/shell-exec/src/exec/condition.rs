//! `[[ .. ]]` and `(( .. ))`.

use crate::array::Array;
use crate::ast::{Condition, Part, Word};
use crate::builtins::test;
use crate::shell::{Exec, Shell, Trouble};
use futures_util::future::BoxFuture;

impl Shell {
    pub(super) async fn arithmetic_command(&mut self, parts: &[Part]) -> Exec {
        self.world.called();
        self.status = match self.arithmetic(parts).await {
            Ok(value) => u8::from(value == 0),
            Err(trouble) => self.wrong_question(trouble, 1).await?,
        };
        self.failed().await
    }

    pub(super) async fn condition_command(&mut self, condition: &Condition) -> Exec {
        self.world.called();
        self.status = match self.holds(condition).await {
            Ok(holds) => u8::from(!holds),
            Err(trouble) => self.wrong_question(trouble, 1).await?,
        };
        self.failed().await
    }

    /// A question that makes no sense has a status of its own, and is not the end.
    async fn wrong_question(&mut self, trouble: Trouble, status: u8) -> Exec<u8> {
        match trouble {
            Trouble::Say(message) => {
                self.say(&message).await;
                Ok(status)
            }
            trouble => Err(self.give_up(trouble).await),
        }
    }

    fn holds<'a>(&'a mut self, condition: &'a Condition) -> BoxFuture<'a, Result<bool, Trouble>> {
        Box::pin(async move {
            Ok(match condition {
                Condition::Word(word) => !self.text(word).await?.0.is_empty(),
                Condition::Not(inner) => !self.holds(inner).await?,
                Condition::And(all) => {
                    for each in all {
                        if !self.holds(each).await? {
                            return Ok(false);
                        }
                    }
                    true
                }
                Condition::Or(all) => {
                    for each in all {
                        if self.holds(each).await? {
                            return Ok(true);
                        }
                    }
                    false
                }
                Condition::Unary(letter, word) => {
                    let (operand, _held) = self.text(word).await?;
                    test::unary(self, *letter, &operand)?
                }
                Condition::Binary(left, operator, right) => self.compares(left, operator, right).await?,
            })
        })
    }

    async fn compares(&mut self, left: &Word, operator: &[u8], right: &Word) -> Result<bool, Trouble> {
        let (left, _held) = self.text(left).await?;
        let negated = operator == b"!=";
        match operator {
            b"=" | b"==" | b"!=" => {
                let style = self.matching_style();
                let pattern = self.pattern_in(right, style).await?;
                Ok(pattern.matches(&left, &self.world.meter)? != negated)
            }
            b"=~" => {
                let expression = self.regex(right).await?;
                let found = expression.find(&left, &self.world.meter)?;
                let holds = found.is_some();
                let groups = Array::list(found.unwrap_or_default());
                self.variables.set_array(b"BASH_REMATCH", groups, &self.world.meter)?;
                Ok(holds)
            }
            b"-eq" | b"-ne" | b"-lt" | b"-le" | b"-gt" | b"-ge" => {
                let (right, _held) = self.text(right).await?;
                let (left, right) = (self.evaluate(&left)?, self.evaluate(&right)?);
                Ok(match operator {
                    b"-eq" => left == right,
                    b"-ne" => left != right,
                    b"-lt" => left < right,
                    b"-le" => left <= right,
                    b"-gt" => left > right,
                    _ => left >= right,
                })
            }
            operator => {
                let (right, _held) = self.text(right).await?;
                test::binary(self, &left, operator, &right)
            }
        }
    }
}
