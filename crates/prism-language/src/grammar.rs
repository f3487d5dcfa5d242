//! The grammar of models, over tokens. It does not resolve names.

mod expression;
mod system;
mod words;

use nom::Parser;
use nom::branch::alt;
use nom::combinator::{cut, opt, peek, value};
use nom::multi::{many0, separated_list1};
use nom::sequence::{delimited, pair, preceded, terminated};

use crate::ast::{
    Assignment, Command, Constant, Expr, Formula, Ident, Label, Model, Module, ModuleBody,
    Observable, Player, PlayerItem, Reward, Rewards, Spanned, System, Type, TypeKeyword, Update,
    Variable, VariableRange,
};
use crate::error::{Checked, ErrorKind, Fault};
use crate::lexer::{TokenKind, tokens};
use crate::tokens::{Parsed, Tokens, Unparsed, parse_all};
use expression::{expression, reject_doubled};
use words::{ident, ident_or_function, is_name, keyword, names, quoted, spanned, symbol, worded};

/// Words that begin a part of the language that is not supported, each with the name of that part.
const UNSUPPORTED: [(&str, &str); 4] = [
    ("csg", "concurrent stochastic games (`csg`)"),
    ("tptg", "timed games (`tptg`)"),
    ("tsg", "timed stochastic games (`tsg`)"),
    ("lts", "models without probabilities (`lts`)"),
];

/// Words at the beginning of properties, which PRISM reads from files of their own.
pub const PROPERTY_WORDS: [&str; 19] = [
    "A", "E", "P", "Pmax", "Pmaxmax", "Pmaxmin", "Pmin", "Pminmax", "Pminmin", "R", "Rmax",
    "Rmaxmax", "Rmaxmin", "Rmin", "Rminmax", "Rminmin", "S", "filter", "multi",
];

/// A description of what was expected between the parts of a model, for errors.
const PART: &str = "a part of a model, such as `module`";

/// Parses the text of a model.
pub(crate) fn model(text: &[u8]) -> Checked<Model> {
    let tokens = tokens(text)?;
    let items = parse_all(&tokens, |input| {
        terminated(many0(item), end_of_items).parse(input)
    })?;
    assemble(items, text)
}

/// Parses a text that consists of an expression.
pub(crate) fn whole_expression(text: &[u8]) -> Checked<Expr> {
    let tokens = tokens(text)?;
    let parsed = parse_all(&tokens, |input| {
        let (rest, expr) = expression(input)?;
        match rest.first().kind {
            TokenKind::End => Ok((rest, expr)),
            _ => Err(rest.unexpected("the end of the expression")),
        }
    });
    parsed.map_err(|mut fault| {
        // The text is not a file.
        if fault.kind == ErrorKind::Truncated {
            fault.kind = ErrorKind::Syntax;
        }
        fault
    })
}

/// A part of a model.
enum Item {
    ModelType(Spanned<TypeKeyword>),
    Constant(Constant),
    Formula(Formula),
    Label(Label),
    Global(Variable),
    Module(Module),
    Observed(Vec<Ident>),
    Observable(Observable),
    Player(Player),
    Rewards(Rewards),
    Init(Spanned<Expr>),
    System(Spanned<System>),
}

/// Makes a model of its parts, some of which may occur only once.
fn assemble(items: Vec<Item>, text: &[u8]) -> Checked<Model> {
    let mut model = Model::new(text);
    let repeated = |span, what| Fault::new(span, ErrorKind::Repeated { what });
    for item in items {
        match item {
            Item::Constant(constant) => model.constants.push(constant),
            Item::Formula(formula) => model.formulas.push(formula),
            Item::Label(label) => model.labels.push(label),
            Item::Global(variable) => model.globals.push(variable),
            Item::Module(module) => model.modules.push(module),
            Item::Observed(variables) => model.observed.extend(variables),
            Item::Observable(observable) => model.observables.push(observable),
            Item::Player(player) => model.players.push(player),
            Item::Rewards(rewards) => model.rewards.push(rewards),
            Item::ModelType(this) => {
                if let Some(first) = model.model_type.replace(this) {
                    return Err(repeated(this.span, "model type").note_at(first.span, "first here"));
                }
            }
            Item::Init(Spanned { value, span }) => {
                if let Some(first) = model.init.replace(value) {
                    let fault = repeated(span, "`init ... endinit`");
                    return Err(fault.note_at(first.span(), "first here"));
                }
            }
            Item::System(Spanned { value, span }) => {
                let is_unnamed = |system: &System| system.name.is_none();
                if is_unnamed(&value) && model.systems.iter().any(is_unnamed) {
                    return Err(repeated(span, "`system ... endsystem` without a name"));
                }
                model.systems.push(value);
            }
        }
    }
    Ok(model)
}

/// Parses the end of the text, and refuses anything else.
fn end_of_items(input: Tokens<'_>) -> Parsed<'_, ()> {
    let token = input.first();
    match token.kind {
        TokenKind::End => Ok((input, ())),
        _ if is_property(input) => {
            let fault = Fault::new(token.span, ErrorKind::Syntax).expecting(PART);
            let note = "this is a property: a model is expected, not a file of properties";
            Err(input.fail(fault.note(note)))
        }
        TokenKind::Word(word) => {
            Err(unsupported(input, word, &UNSUPPORTED).unwrap_or_else(|| input.unexpected(PART)))
        }
        _ => Err(input.unexpected(PART)),
    }
}

/// Returns whether a property begins here, such as `P=? [ F x=1 ]`. It may have a name, and may
/// begin with a label.
fn is_property(input: Tokens<'_>) -> bool {
    let next = match input.peek(1) {
        TokenKind::Symbol("=") if input.peek(2) != TokenKind::Symbol("?") => return false,
        TokenKind::Symbol(next) => next,
        _ => return false,
    };
    match input.first().kind {
        TokenKind::Word(word) => {
            let nexts = ["=", "<", "<=", ">", ">=", "(", "[", "{"];
            PROPERTY_WORDS.contains(&word) && nexts.contains(&next)
        }
        TokenKind::Quoted(_) => matches!(next, ":" | "=>"),
        _ => false,
    }
}

/// Returns the error for a word that begins one of the `parts`.
fn unsupported(
    input: Tokens<'_>,
    word: &str,
    parts: &[(&str, &'static str)],
) -> Option<nom::Err<Unparsed>> {
    let &(_, what) = parts.iter().find(|(begin, _)| *begin == word)?;
    let fault = Fault::new(input.first().span, ErrorKind::Unsupported { what });
    Some(input.fail(fault))
}

/// Parses a part of a model.
fn item(input: Tokens<'_>) -> Parsed<'_, Item> {
    alt((
        spanned(model_type).map(Item::ModelType),
        constant.map(Item::Constant),
        preceded(keyword("`formula`"), cut(formula)).map(Item::Formula),
        preceded(keyword("`label`"), cut(label)).map(Item::Label),
        preceded(keyword("`global`"), cut(variable)).map(Item::Global),
        preceded(keyword("`module`"), cut(module)).map(Item::Module),
        delimited(
            keyword("`observables`"),
            cut(names),
            cut(worded(
                keyword("`endobservables`"),
                "`,` or `endobservables`",
            )),
        )
        .map(Item::Observed),
        preceded(keyword("`observable`"), cut(observable)).map(Item::Observable),
        preceded(keyword("`player`"), cut(player)).map(Item::Player),
        preceded(keyword("`rewards`"), cut(rewards)).map(Item::Rewards),
        spanned(delimited(
            keyword("`init`"),
            cut(expression),
            cut(keyword("`endinit`")),
        ))
        .map(Item::Init),
        spanned(delimited(
            keyword("`system`"),
            cut(system::system),
            cut(keyword("`endsystem`")),
        ))
        .map(Item::System),
    ))
    .parse(input)
}

fn model_type(input: Tokens<'_>) -> Parsed<'_, TypeKeyword> {
    let of = |model_type, new, old| value(model_type, alt((keyword(new), keyword(old))));
    alt((
        of(TypeKeyword::Mdp, "`mdp`", "`nondeterministic`"),
        of(TypeKeyword::Dtmc, "`dtmc`", "`probabilistic`"),
        of(TypeKeyword::Ctmc, "`ctmc`", "`stochastic`"),
        value(TypeKeyword::Pomdp, keyword("`pomdp`")),
        value(TypeKeyword::Smg, keyword("`smg`")),
        value(TypeKeyword::Ma, keyword("`ma`")),
        value(TypeKeyword::Pta, keyword("`pta`")),
        value(TypeKeyword::Popta, keyword("`popta`")),
    ))
    .parse(input)
}

fn constant(input: Tokens<'_>) -> Parsed<'_, Constant> {
    let written = alt((
        value(Type::Int, keyword("`int`")),
        value(Type::Double, keyword("`double`")),
        value(Type::Bool, keyword("`bool`")),
    ));
    let of = alt((
        preceded(keyword("`const`"), opt(written)).map(|of| of.unwrap_or(Type::Int)),
        value(Type::Double, alt((keyword("`rate`"), keyword("`prob`")))),
    ));
    let value = opt(preceded(symbol("`=`"), cut(expression)));
    let end = worded(symbol("`;`"), "`=` or `;`");
    (of, cut(ident), value, cut(end))
        .map(|(of, name, value, _)| Constant { name, of, value })
        .parse(input)
}

/// Parses `name = expression;`.
fn defined<'t, N>(
    name: impl Parser<Tokens<'t>, Output = N, Error = Unparsed>,
) -> impl Parser<Tokens<'t>, Output = (N, Expr), Error = Unparsed> {
    (name, preceded(symbol("`=`"), expression), symbol("`;`")).map(|(name, value, _)| (name, value))
}

fn formula(input: Tokens<'_>) -> Parsed<'_, Formula> {
    defined(ident)
        .map(|(name, value)| Formula { name, value })
        .parse(input)
}

fn label(input: Tokens<'_>) -> Parsed<'_, Label> {
    defined(quoted)
        .map(|(name, value)| Label { name, value })
        .parse(input)
}

fn observable(input: Tokens<'_>) -> Parsed<'_, Observable> {
    defined(quoted)
        .map(|(name, value)| Observable { name, value })
        .parse(input)
}

fn player(input: Tokens<'_>) -> Parsed<'_, Player> {
    let end = |input| worded(keyword("`endplayer`"), "`,` or `endplayer`")(input);
    let (input, name) = ident(input)?;
    if let Ok((input, _)) = end(input) {
        let items = Vec::new();
        return Ok((input, Player { name, items }));
    }
    let action = delimited(symbol("`[`"), cut(ident), cut(symbol("`]`")));
    // The word is a name in all other places.
    let module = |input| match keyword("`endplayer`")(input) {
        Ok(_) => Err(input.unexpected("a module")),
        Err(_) => ident(input),
    };
    let item = alt((
        action.map(PlayerItem::Action),
        module.map(PlayerItem::Module),
    ));
    let item = worded(item, "a module, an action such as `[a]`, or `endplayer`");
    let (input, items) = separated_list1(symbol("`,`"), cut(item)).parse(input)?;
    let (input, _) = end(input)?;
    Ok((input, Player { name, items }))
}

fn variable(input: Tokens<'_>) -> Parsed<'_, Variable> {
    let init = opt(preceded(keyword("`init`"), cut(expression)));
    (
        ident,
        symbol("`:`"),
        cut(range),
        init,
        cut(worded(symbol("`;`"), "`init` or `;`")),
    )
        .map(|(name, _, range, init, _)| Variable { name, range, init })
        .parse(input)
}

fn range(input: Tokens<'_>) -> Parsed<'_, VariableRange> {
    let bounds = delimited(
        symbol("`[`"),
        cut((terminated(expression, symbol("`..`")), expression)),
        cut(symbol("`]`")),
    );
    alt((
        bounds.map(|(low, high)| VariableRange::Int { low, high }),
        value(VariableRange::Unbounded, keyword("`int`")),
        value(VariableRange::Clock, keyword("`clock`")),
        value(VariableRange::Bool, keyword("`bool`")),
    ))
    .parse(input)
}

fn module(input: Tokens<'_>) -> Parsed<'_, Module> {
    let end = |input| keyword("`endmodule`")(input);
    let renamed = preceded(symbol("`=`"), cut((ident, renaming, end)))
        .map(|(base, names, _)| ModuleBody::Renamed { base, names });
    pair(ident, alt((renamed, written)))
        .map(|(name, body)| Module { name, body })
        .parse(input)
}

/// Parses the list of names of a renamed module.
fn renaming(input: Tokens<'_>) -> Parsed<'_, Vec<(Ident, Ident)>> {
    let one = (
        ident_or_function,
        preceded(symbol("`=`"), ident_or_function),
    );
    delimited(
        symbol("`[`"),
        separated_list1(symbol("`,`"), cut(one)),
        symbol("`]`"),
    )
    .parse(input)
}

/// Parses a module whose variables and commands are written out.
fn written(input: Tokens<'_>) -> Parsed<'_, ModuleBody> {
    let (input, variables) = many0(variable).parse(input)?;
    let invariant = delimited(
        keyword("`invariant`"),
        cut(expression),
        cut(keyword("`endinvariant`")),
    );
    let (input, invariant) = opt(invariant).parse(input)?;
    let (input, commands) = many0(command).parse(input)?;
    let expected = match commands.is_empty() {
        true => "a variable, a command or `endmodule`",
        false => "a command or `endmodule`",
    };
    if let (TokenKind::Word(word), TokenKind::Symbol(":")) = (input.first().kind, input.peek(1))
        && !is_name(word)
    {
        return Err(input.unexpected_keyword(expected));
    }
    let (input, _) = worded(keyword("`endmodule`"), expected)(input)?;
    Ok((
        input,
        ModuleBody::Written {
            variables,
            invariant,
            commands,
        },
    ))
}

fn command(input: Tokens<'_>) -> Parsed<'_, Command> {
    let action = delimited(
        symbol("`[`"),
        opt(ident),
        cut(worded(symbol("`]`"), "an action or `]`")),
    );
    // Whether the command is Markovian, and otherwise its action.
    let markovian = value((true, None), symbol("`<>`"));
    let parts = (
        alt((action.map(|action| (false, action)), markovian)),
        cut(terminated(expression, symbol("`->`"))),
        cut(updates),
        cut(symbol("`;`")),
    );
    spanned(parts)
        .map(|Spanned { value, span }| Command {
            is_markovian: value.0.0,
            action: value.0.1,
            guard: value.1,
            updates: value.2,
            span: Spanned { value: (), span },
        })
        .parse(input)
}

/// What several updates without weights need.
const SEVERAL_UPDATES: &str =
    "several updates need probabilities or rates, as in `0.5:(x'=0) + 0.5:(x'=1)`";

/// Parses the updates of a command: a single one without a weight, or any number with weights.
fn updates(input: Tokens<'_>) -> Parsed<'_, Vec<Update>> {
    require_parenthesis(input)?;
    if begins_assignments(input) {
        let (input, assignments) = assignments(input)?;
        if input.first().kind == TokenKind::Symbol("+") {
            let fault = Fault::new(input.first().span, ErrorKind::Syntax).expecting("`;`");
            return Err(input.fail(fault.note(SEVERAL_UPDATES)));
        }
        let weight = None;
        return Ok((
            input,
            vec![Update {
                weight,
                upper: None,
                assignments,
            }],
        ));
    }
    let colon = worded(symbol("`:`"), "`:` and an update such as `(x'=1)`");
    let interval = || {
        (
            preceded(symbol("`[`"), cut(expression)),
            cut(preceded(symbol("`,`"), expression)),
            cut(symbol("`]`")),
        )
    };
    let weight = |input| {
        if begins_assignments(input) {
            let fault = Fault::new(input.first().span, ErrorKind::Syntax).expecting("a weight");
            return Err(input.fail(fault.note(SEVERAL_UPDATES)));
        }
        alt((
            interval().map(|(lower, upper, _)| (lower, Some(upper))),
            expression.map(|weight| (weight, None)),
        ))
        .parse(input)
    };
    let weighted = (terminated(weight, colon), assignments);
    let all = separated_list1(
        symbol("`+`"),
        cut(weighted.map(|((weight, upper), assignments)| Update {
            weight: Some(weight),
            upper,
            assignments,
        })),
    );
    // If a `+` is missing, the error mentions it.
    terminated(all, peek(worded(symbol("`;`"), "`+` or `;`"))).parse(input)
}

/// Refuses an assignment without parentheses.
fn require_parenthesis(input: Tokens<'_>) -> Result<(), nom::Err<Unparsed>> {
    match (input.first().kind, input.peek(1)) {
        (TokenKind::Word(name), TokenKind::Symbol("'")) => {
            let fault = Fault::new(input.first().span, ErrorKind::Syntax).expecting("`(`");
            let note = format!("an assignment needs parentheses, as in `({name}'=1)`");
            Err(input.fail(fault.note(note)))
        }
        _ => Ok(()),
    }
}

/// Returns whether the next tokens are an update without a weight: it begins with `(x'` or is
/// `true`.
fn begins_assignments(input: Tokens<'_>) -> bool {
    match input.first().kind {
        TokenKind::Word("true") => input.peek(1) != TokenKind::Symbol(":"),
        TokenKind::Symbol("(") => {
            matches!(input.peek(1), TokenKind::Word(_)) && input.peek(2) == TokenKind::Symbol("'")
        }
        _ => false,
    }
}

/// Parses an update: assignments, or `true` if there are none.
fn assignments(input: Tokens<'_>) -> Parsed<'_, Vec<Assignment>> {
    let one = delimited(
        symbol("`(`"),
        cut((
            terminated(ident, symbol("`'`")),
            preceded(symbol("`=`"), expression),
        )),
        cut(symbol("`)`")),
    )
    .map(|(variable, value)| Assignment { variable, value });
    require_parenthesis(input)?;
    let nothing = value(Vec::new(), keyword("`true`"));
    let all = alt((nothing, separated_list1(symbol("`&`"), one)));
    let (rest, all) = worded(all, "an update such as `(x'=1)` or `true`")(input)?;
    if let TokenKind::Symbol(symbol @ "&") = rest.first().kind {
        reject_doubled(rest, symbol)?;
        require_parenthesis(rest.rest())?;
    }
    Ok((rest, all))
}

fn rewards(input: Tokens<'_>) -> Parsed<'_, Rewards> {
    let action = opt(delimited(symbol("`[`"), opt(ident), cut(symbol("`]`"))));
    let item = (
        action,
        terminated(expression, symbol("`:`")),
        terminated(expression, symbol("`;`")),
    )
        .map(|(action, guard, value)| Reward {
            action,
            guard,
            value,
        });
    let end = |input| keyword("`endrewards`")(input);
    let (mut input, name) = opt(quoted).parse(input)?;
    let mut items = Vec::new();
    let mut item = cut(item);
    while end(input).is_err() {
        let (rest, one) = item.parse(input)?;
        items.push(one);
        input = rest;
    }
    let (input, _) = end(input)?;
    Ok((input, Rewards { name, items }))
}
