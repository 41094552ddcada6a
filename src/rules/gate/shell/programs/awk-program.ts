/** Names by which an awk program runs, opens, closes or loads something, or accesses data not in its text. */
const acting = /system|getline|close|fflush|[@`]|ENVIRON|ARG[CV]|SYMTAB|FUNCTAB/

/**
 * Whether an awk program only reads its input. `system` and the like, `|` and `>` after `print` have effects: in a program that
 * contains them every token must be known, so that each is part of a string, `||`, or a comparison.
 */
export function onlyLooks(program: string): boolean {
  const mayAct = acting.test(program) || program.includes('|')
  const mayWrite = program.includes('>') && program.includes('print')
  return !(mayAct || mayWrite) || new AwkReader(program).isPlain()
}

const maxCharacters = 2_000

const controls = 'if else while for do in BEGIN END'.split(' ')
const statements = 'print printf next exit break continue delete'.split(' ')
const functions = (
  'length substr split sub gsub index match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand gensub ' +
  'strtonum systime strftime mktime'
).split(' ')
const variables = 'NR NF FNR FS OFS RS ORS FILENAME RSTART RLENGTH SUBSEP OFMT CONVFMT'.split(' ')
const own = /^(?:[a-z_]\w*|[A-Z][a-z0-9]\w*|[A-Z])$/
/** Words with a meaning in some awk that are not named above. */
const reserved: ReadonlySet<string> = new Set(
  (
    'system getline close fflush function func return nextfile case switch default namespace include load eval and or xor compl lshift rshift asort ' +
    'asorti patsplit typeof isarray mkbool intdiv bindtextdomain dcgettext dcngettext adump stopme extension awk'
  ).split(' '),
)

/** Escapes of one character; longer ones differ between awks. */
const escaped = String.raw`\\[nrt"\\/.|$&*+?()[\]^{}-]`
const text = new RegExp(`"(?:[^"\\\\\\n]|${escaped})*"`, 'y')
/** A bracket that is not closed, or holds a slash, ends elsewhere in some awks. */
const bracket = String.raw`\[\^?(?:[^\][\\/\n^]|\[:[a-z]{1,10}:\])+\]`
const pattern = new RegExp(`/(?!=)(?:[^/\\\\[\\]\\n]|${escaped}|${bracket})+/`, 'y')
const number = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w.])/y
const name = /[A-Za-z_]\w{0,39}(?!\w)/y
const operator = /&&|\|\||[=!<>+\-*/%^]=|\+\+|--|!~|[{}()[\];,+\-*/%^!><?:~$=\n]/y

/** The effect of a token on the next one: whether a slash means division. */
type Kind = 'value' | 'open' | 'other'

/** Parses a program and stops at any doubt. */
class AwkReader {
  readonly #program: string
  #at = 0
  /** The previous token. `value`: a slash divides; `open`: a slash starts a pattern; `other`: unknown. */
  #before: Kind = 'open'
  #last = '\n'
  #braces = 0
  /** For each open parenthesis: whether it belongs to `if`, `while` or `for`. */
  readonly #open: boolean[] = []

  constructor(program: string) {
    this.#program = program
  }

  isPlain(): boolean {
    if (this.#program.length > maxCharacters) return false
    while (this.#at < this.#program.length) {
      if (!this.#token()) return false
    }
    return this.#braces === 0 && this.#open.length === 0
  }

  #token(): boolean {
    const character = this.#program[this.#at] ?? ''
    if (character === ' ' || character === '\t') {
      this.#at += 1
      return true
    }
    if (character === '"') return this.#takes(text, 'value')
    if (/[\d.]/.test(character)) return this.#takes(number, 'value')
    if (/[A-Za-z_]/.test(character)) return this.#name()
    if (character !== '/' || this.#before === 'value') return this.#operator()
    return this.#before === 'open' && this.#takes(pattern, 'value')
  }

  #takes(what: RegExp, kind: Kind): boolean {
    what.lastIndex = this.#at
    const found = what.exec(this.#program)
    if (found === null) return false
    this.#at = what.lastIndex
    this.#last = found[0]
    this.#before = kind
    return true
  }

  #name(): boolean {
    const isCalled = /^\w+[ \t]*\(/.test(this.#program.slice(this.#at, this.#at + 80))
    if (!this.#takes(name, 'other')) return false
    const word = this.#last
    if (controls.includes(word)) return true
    // `for (print > "x"; …)` is a statement too.
    if (statements.includes(word)) return this.#braces > 0 && this.#open.length === 0
    // `length` without parentheses may precede anything.
    if (functions.includes(word)) return isCalled || word === 'length'
    if (isCalled || reserved.has(word)) return false
    this.#before = 'value'
    return variables.includes(word) || own.test(word)
  }

  #operator(): boolean {
    const before = this.#last
    if (!this.#takes(operator, 'other')) return false
    const sign = this.#last
    // Two in a row form another operator: `>>`, `::`, `**`.
    if (sign === before && /^[>:*]$/.test(sign)) return false
    if (sign[0] === '>') return this.#open.length > 0 || this.#braces === 0
    if (/^(?:[{};\n,!~]|!~|&&|\|\|)$/.test(sign)) this.#before = 'open'
    if (sign === ']') this.#before = 'value'
    if (sign === '(' || sign === ')') return this.#parenthesis(sign, before)
    if (sign === '{' || sign === '}') return this.#brace(sign)
    return true
  }

  #parenthesis(sign: string, before: string): boolean {
    if (sign === '(') {
      this.#open.push(/^(?:if|while|for)$/.test(before))
      this.#before = 'open'
      return true
    }
    const closes = this.#open.pop()
    // After `if (…)` a slash starts a pattern.
    this.#before = closes === true ? 'open' : 'value'
    return closes !== undefined
  }

  #brace(sign: string): boolean {
    this.#braces += sign === '{' ? 1 : -1
    return this.#braces >= 0 && this.#open.length === 0
  }
}
