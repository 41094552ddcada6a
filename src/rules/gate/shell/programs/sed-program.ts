const maxCharacters = 2_000

const end = String.raw`[ \t]*(?:[;\n]|(?=\})|$)`
const commands = new RegExp(String.raw`[pdqQPDnNgGhHxl=z](?:(?<=[qQl])[ \t]*\d{1,3})?${end}`, 'y')
const branches = new RegExp(String.raw`[btT](?:[ \t]*[A-Za-z]\w{0,20})?${end}`, 'y')
const label = /:[A-Za-z]\w{0,20}[ \t]*(?:[;\n]|$)/y
/** Text up to the line's end; a backslash would continue it on the next line. */
const inserted = /[aic](?:\\?[ \t]+|\\)?[^\\\s][^\\\n]*(?:\n|$)/y
/** A bracket expression; the end of one that holds `\]` is uncertain. */
const bracket = /\[\^?\]?(?:\[:[a-z]{1,10}:\]|\\[^\]\n]|[^\]\\\n[])*\]/y
const blanks = /[ \t\n;]*/y
const address = /(?:\d+(?:~\d+)?|\$)/y
const after = /[ \t]*/y
const flagsOf = {
  s: new RegExp(String.raw`[gpiIMm\d]*${end}`, 'y'),
  y: new RegExp(end, 'y'),
  address: /[IM]*/y,
} as const

/**
 * SHELL-12: whether a sed script only prints and changes its input. Each command must be one that neither opens a file nor runs
 * anything, in both GNU and BSD sed.
 */
export function onlyEdits(script: string): boolean {
  return script.length <= maxCharacters && new SedReader(script).isPlain()
}

/** Parses a script and stops at any doubt. */
class SedReader {
  readonly #script: string
  #at = 0
  #open = 0

  constructor(script: string) {
    this.#script = script
  }

  isPlain(): boolean {
    for (;;) {
      this.#takes(blanks)
      if (this.#at >= this.#script.length) return this.#open === 0
      if (!this.#command()) return false
    }
  }

  #command(): boolean {
    if (!this.#addresses()) return false
    const sign = this.#script[this.#at] ?? ''
    if (sign === '{' || sign === '}') {
      this.#at += 1
      this.#open += sign === '{' ? 1 : -1
      return this.#open >= 0
    }
    if (sign === 's' || sign === 'y') return this.#parts(sign)
    return [commands, branches, label, inserted].some((form) => this.#takes(form))
  }

  /** Zero, one or two comma-separated addresses; then `!`. */
  #addresses(): boolean {
    const hasFirst = this.#address()
    this.#takes(after)
    if (hasFirst && this.#script[this.#at] === ',') {
      this.#at += 1
      this.#takes(after)
      // `addr,+5` and `addr,~4`.
      if (/[+~]/.test(this.#script[this.#at] ?? '')) this.#at += 1
      if (!this.#address()) return false
    }
    this.#takes(after)
    if (this.#script[this.#at] === '!') this.#at += 1
    this.#takes(after)
    return true
  }

  #address(): boolean {
    if (this.#takes(address)) return true
    if (this.#script[this.#at] !== '/') return false
    this.#at += 1
    return this.#pattern('/') && this.#takes(flagsOf.address)
  }

  /** `s/a/b/g` and `y/a/b/`, with any delimiter. */
  #parts(kind: 's' | 'y'): boolean {
    const mark = this.#script[this.#at + 1] ?? ''
    if (!/^[^\w\s\\;{}[\]]$/.test(mark)) return false
    this.#at += 2
    const isFirst = kind === 's' ? this.#pattern(mark) : this.#text(mark)
    return isFirst && this.#text(mark) && this.#takes(flagsOf[kind])
  }

  /**
   * Up to the delimiter, which does not count in brackets: a sed that ends the pattern there fails for lack of a closing bracket.
   */
  #pattern(mark: string): boolean {
    return this.#text(mark, true)
  }

  #text(mark: string, hasBrackets = false): boolean {
    for (; this.#at < this.#script.length; this.#at += 1) {
      const character = this.#script[this.#at]
      if (character === '\n') return false
      if (character === '[' && hasBrackets) {
        if (!this.#takes(bracket)) return false
        this.#at -= 1
      } else if (character === mark) {
        this.#at += 1
        return true
      } else if (character === '\\') {
        this.#at += 1
        if (!/^[^\n]$/.test(this.#script[this.#at] ?? '')) return false
      }
    }
    return false
  }

  #takes(form: RegExp): boolean {
    form.lastIndex = this.#at
    if (!form.test(this.#script)) return false
    this.#at = form.lastIndex
    return true
  }
}
