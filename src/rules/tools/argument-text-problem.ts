import { shorten } from '../../util/text/shorten.ts'

const maxDepth = 32

/** The largest double has 309 digits when written out. */
const maxNumberCharacters = 400

const longestShown = 64

/** Blanks other than plain ones, and characters that nobody sees. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/**
 * MCP-03: why one JSON text could mean different arguments to different programs, in words that name the field and never its
 * value; undefined if it cannot. Programs keep the first or the last of two fields with one name, and round numbers differently.
 * `text` must be valid JSON.
 */
export function argumentTextProblem(text: string): string | undefined {
  return new ArgumentReader(text).read()
}

/** An open object with the names read so far, compared in their compatibility form; without names it is an array. */
interface Open {
  readonly names: Map<string, string> | undefined
}

class ArgumentReader {
  readonly #text: string
  readonly #open: Open[] = []
  #at = 0
  #expectsName = false

  constructor(text: string) {
    this.#text = text
  }

  read(): string | undefined {
    while (this.#at < this.#text.length) {
      const problem = this.#token(this.#text[this.#at] ?? '')
      if (problem !== undefined) return problem
    }
    return undefined
  }

  #token(character: string): string | undefined {
    if (character === '"') return this.#string()
    if (/[-\d]/.test(character)) return this.#number()
    this.#at += 1
    if (character === '{' || character === '[') return this.#enter(character)
    if (character === '}' || character === ']') this.#open.pop()
    if (character === ',') this.#expectsName = this.#open.at(-1)?.names !== undefined
    return undefined
  }

  #enter(character: string): string | undefined {
    this.#expectsName = character === '{'
    this.#open.push({ names: character === '{' ? new Map() : undefined })
    return this.#open.length > maxDepth ? `nested more than ${maxDepth} levels deep` : undefined
  }

  #string(): string | undefined {
    const start = this.#at
    let end = start + 1
    while (this.#text[end] !== '"' && end < this.#text.length) {
      end += this.#text[end] === '\\' ? 2 : 1
    }
    this.#at = end + 1
    const raw = this.#text.slice(start, this.#at)
    const isEscaped = raw.includes('\\')
    if (this.#expectsName) return isEscaped ? escapedName(raw) : this.#name(raw.slice(1, -1))
    const value = isEscaped ? String(JSON.parse(raw)) : raw.slice(1, -1)
    return value.isWellFormed() ? undefined : 'a text is not valid Unicode'
  }

  #name(name: string): string | undefined {
    this.#expectsName = false
    const shown = shorten(JSON.stringify(name), longestShown)
    if (!name.isWellFormed() || unseen.test(name)) {
      return `${shown}: a field name may not hold invisible characters`
    }
    const names = this.#open.at(-1)?.names
    const form = name.normalize('NFKC')
    const before = names?.get(form)
    names?.set(form, name)
    if (before === undefined) return undefined
    return before === name
      ? `${shown}: this field stands more than once`
      : `${shown}: two field names differ only in how their characters are encoded`
  }

  #number(): string | undefined {
    const start = this.#at
    while (/[-+.\deE]/.test(this.#text[this.#at] ?? '')) this.#at += 1
    const text = this.#text.slice(start, this.#at)
    return isExact(text) ? undefined : 'a number has more digits or a larger exponent than is kept'
  }
}

/**
 * V8 reads a name with an escape wrong after it has read an object with the same names before it and a backslash in its place: then
 * `"\u0061"` becomes `\`. So two processes may see different fields in one text.
 */
function escapedName(raw: string): string {
  return `${shorten(raw, longestShown)}: a field name may not be written with escapes`
}

/** Whether a number is kept as it was written: `1.0` and `1` are one number, `9007199254740993` and `1e400` are lost. */
function isExact(text: string): boolean {
  const value = Number(text)
  if (text.length > maxNumberCharacters || !Number.isFinite(value)) return false
  return decimalOf(text) === decimalOf(String(value))
}

/** A decimal number in one spelling: sign, digits without zeros at their ends, and exponent. */
function decimalOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(text) ?? []
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const shift = digits.length - significant.length - fraction.length
  return `${sign}${significant}e${Number(exponent) + shift}`
}
