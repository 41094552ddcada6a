import type { types } from '@slack/bolt'
import { elapsedWords } from '../../render/card-words.ts'
import type { RunningStep, RunningTurn } from '../../render/draw-live.ts'
import { toInertLine, toInertMarkdown } from '../render/to-inert-markdown.ts'

/** A word that is longer is no word: it is cut. */
const longestWord = 60

export type Chunk = types.AnyChunk
type Task = types.TaskUpdateChunk

/** Of everything together, as JSON: Slack takes 12,000 characters of markdown, and about 13,000 of all blocks. */
const mostJson = 9_000
/** Slack takes 256. */
const longestTitle = 200
const working = 'Working…'

/**
 * SLACK-03, SLACK-05: what a stream was told of its turn, and what it is to be told next. Words are added to their end, steps
 * change where they stand; only what Slack cannot make anything of is in either.
 */
export class TurnStream {
  /** How Slack shows steps: all in one plan, or each where it came. */
  readonly mode: 'plan' | 'timeline'
  readonly #tasks = new Map<string, Task>()
  #epoch: number | undefined
  /** Of the step of the turn that writes now, as Slack may have it. */
  #text = ''
  #said = 0
  #json = 0

  constructor(first: RunningTurn) {
    this.mode = (first.steps ?? []).length > 0 ? 'plan' : 'timeline'
  }

  /** What is new, perhaps nothing; undefined: it cannot be told by adding to what was told. */
  next(turn: RunningTurn): Chunk[] | undefined {
    const words = this.#nextWords(turn)
    if (words === undefined) return undefined
    const isFirst = this.#json === 0
    const chunks: Chunk[] = [
      ...(isFirst && this.mode === 'plan'
        ? [{ type: 'plan_update' as const, title: working }]
        : []),
      ...(words === '' ? [] : [{ type: 'markdown_text' as const, text: words }]),
      ...this.#nextTasks(turn.steps ?? []),
    ]
    this.#json += JSON.stringify(words).length
    const tasks = JSON.stringify([...this.#tasks.values()]).length
    return this.#json + tasks > mostJson ? undefined : chunks
  }

  /** What is said at the end: nothing runs any more. */
  last(): Chunk[] {
    return [...this.#tasks.values()]
      .filter(({ status }) => status === 'in_progress')
      .map((task) => ({ ...task, status: 'complete' }))
  }

  #nextWords(turn: RunningTurn): string | undefined {
    const text = toInertMarkdown(turn.text ?? '')
    const isNew = turn.epoch !== this.#epoch && text !== ''
    const before = isNew ? this.#rest() : ''
    if (isNew) {
      this.#epoch = turn.epoch
      this.#text = ''
      this.#said = 0
    }
    if (text !== '' && !text.startsWith(this.#text.slice(0, this.#said))) return undefined
    if (text !== '') this.#text = text
    // Whoever has something done, or thinks anew, has said what there was to say.
    if (turn.doing !== 'writing') return `${before}${this.#rest()}`
    const upTo = Math.max(this.#said, settledLength(this.#text))
    const words = this.#text.slice(this.#said, upTo)
    this.#said = upTo
    return `${before}${words}`
  }

  /** What was held back, as the end of a paragraph. */
  #rest(): string {
    const rest = this.#text.slice(this.#said)
    this.#said = this.#text.length
    return rest === '' ? '' : `${rest}\n\n`
  }

  #nextTasks(steps: readonly RunningStep[]): Task[] {
    const changed = steps.map(toTask).filter((task) => {
      const known = this.#tasks.get(task.id)
      return known?.title !== task.title || known.status !== task.status
    })
    for (const task of changed) this.#tasks.set(task.id, task)
    return changed
  }
}

/** All of it is in the title, which is plain text: Slack reads details and output as markdown, and adds to them only. */
function toTask({ id, tool, elapsedMs, lastLine, isOver }: RunningStep): Task {
  const words = [tool, elapsedWords(elapsedMs), lastLine].filter((each) => each.trim() !== '')
  const title = toInertLine(words.join(' · '), longestTitle)
  return { type: 'task_update', id, title, status: isOver ? 'complete' : 'in_progress' }
}

/**
 * How much of a text that grows may be said already: up to the beginning of its last word, so that what comes next begins
 * neither with a blank, which Slack drops there, nor with half of a character.
 */
export function settledLength(text: string): number {
  const from = Math.max(0, text.length - longestWord)
  for (let at = text.length - 1; at > from; at -= 1) {
    if (isBlank(text, at - 1) && !isBlank(text, at)) return at
  }
  for (let at = text.length - 1; at > 0; at -= 1) {
    if (!isBlank(text, at) && !isLowSurrogate(text, at)) return from === 0 ? 0 : at
  }
  return 0
}

function isBlank(text: string, at: number): boolean {
  return /\s/.test(text.charAt(at))
}

function isLowSurrogate(text: string, at: number): boolean {
  return /[\udc00-\udfff]/.test(text.charAt(at))
}
