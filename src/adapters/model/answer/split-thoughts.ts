/** An answer's text for people, and its reasoning. */
export interface Split {
  readonly text: string
  readonly thought: string
}

const opening = /^[ \t]*<think(?:ing)?>/i
const closing = /<\/think(?:ing)?>/i
const tags = ['<think>', '<thinking>']
const longestClosing = '</thinking>'.length
const fenceMark = /^ {0,3}(`{3,}|~{3,})(.*)$/
const longestLine = 1_000

/**
 * MODEL-08: separates `<think>…</think>` from the text, for models whose server does not. Recognised at the start of the text or
 * of a line, outside code blocks; a tag may be split over several deltas. An unclosed tag at the very start makes everything
 * reasoning; a later unclosed one is plain text.
 */
export class ThoughtSplitter {
  /** Text not classified yet. */
  #rest = ''
  #isThinking = false
  #isFirst = true
  #skipsBlanks = false
  /** The current line so far. */
  #line = ''
  #fence: string | undefined
  /** A tag after some text, and the reasoning in it; plain text if the tag is never closed. */
  #lateTag = ''
  #late = ''

  /** Returns the text and reasoning that are certain so far. */
  push(delta: string): Split {
    this.#rest += delta
    return this.#run(false)
  }

  /** Returns the rest at the end of the text. */
  end(): Split {
    const { text, thought } = this.#run(true)
    const unclosed = this.#lateTag + this.#late
    this.#lateTag = ''
    this.#late = ''
    return { text: text + unclosed, thought }
  }

  #run(isEnd: boolean): Split {
    let text = ''
    let thought = ''
    for (;;) {
      const step = this.#isThinking ? this.#think(isEnd) : this.#write(isEnd)
      if (step === undefined) return { text, thought }
      text += step.text
      thought += step.thought
    }
  }

  /** undefined: more input is needed. */
  #think(isEnd: boolean): Split | undefined {
    const end = closing.exec(this.#rest)
    if (end !== null) {
      const thought = this.#late + this.#rest.slice(0, end.index)
      this.#rest = this.#rest.slice(end.index + end[0].length)
      this.#isThinking = false
      this.#skipsBlanks = true
      this.#lateTag = ''
      this.#late = ''
      this.#line = ''
      return { text: '', thought }
    }
    const certain = this.#rest.length - (isEnd ? 0 : unfinishedTag(this.#rest))
    if (certain === 0) return undefined
    const thought = this.#rest.slice(0, certain)
    this.#rest = this.#rest.slice(certain)
    if (this.#lateTag === '') return { text: '', thought }
    this.#late += thought
    return nothing
  }

  #write(isEnd: boolean): Split | undefined {
    if (this.#skipsBlanks) this.#rest = this.#rest.trimStart()
    if (this.#rest === '') return undefined
    if (this.#line === '' && this.#fence === undefined) {
      const lead = this.#isFirst ? (/^\s*/.exec(this.#rest)?.[0].length ?? 0) : 0
      const start = this.#rest.slice(lead)
      const tag = opening.exec(start)
      if (tag !== null) return this.#open(tag[0], lead)
      if (!isEnd && mayOpen(start)) return undefined
    }
    return this.#writeLine()
  }

  #open(tag: string, lead: number): Split {
    this.#lateTag = this.#isFirst ? '' : tag
    this.#rest = this.#rest.slice(lead + tag.length)
    this.#isThinking = true
    return nothing
  }

  #writeLine(): Split {
    this.#skipsBlanks = false
    this.#isFirst = false
    const end = this.#rest.indexOf('\n') + 1
    const text = end === 0 ? this.#rest : this.#rest.slice(0, end)
    this.#rest = this.#rest.slice(text.length)
    this.#line = (this.#line + text).slice(0, longestLine)
    if (end !== 0) {
      this.#fence = fenceAfter(this.#line.trimEnd(), this.#fence)
      this.#line = ''
    }
    return { text, thought: '' }
  }
}

const nothing: Split = { text: '', thought: '' }

/**
 * The same for a text that closes a tag it never opened, because the server's template opens it: everything before a line that is
 * only `</think>` is reasoning.
 */
export function splitUnopened(text: string): Split {
  let fence: string | undefined
  let at = 0
  for (const line of text.split('\n')) {
    if (fence === undefined && /^\s*<\/think(?:ing)?>\s*$/i.test(line)) {
      return { thought: text.slice(0, at), text: text.slice(at + line.length).trimStart() }
    }
    fence = fenceAfter(line.trimEnd(), fence)
    at += line.length + 1
  }
  return { text, thought: '' }
}

/** Number of characters at the end of a text that may start a closing tag. */
function unfinishedTag(text: string): number {
  const at = text.lastIndexOf('<')
  const length = text.length - at
  if (at === -1 || length >= longestClosing) return 0
  const end = text.slice(at).toLowerCase()
  return ['</think>', '</thinking>'].some((tag) => tag.startsWith(end)) ? length : 0
}

function mayOpen(text: string): boolean {
  const start = text.replace(/^[ \t]*/, '').toLowerCase()
  return tags.some((tag) => tag.startsWith(start))
}

function fenceAfter(line: string, fence: string | undefined): string | undefined {
  const [, mark = '', rest = ''] = fenceMark.exec(line) ?? []
  if (mark === '') return fence
  if (fence === undefined) return mark.startsWith('`') && rest.includes('`') ? undefined : mark
  return mark.startsWith(fence) && rest.trim() === '' ? undefined : fence
}
