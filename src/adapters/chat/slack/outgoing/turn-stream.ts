import type { types } from '@slack/bolt'
import { elapsedWords } from '../../render/card-words.ts'
import type { RunningStep, RunningTurn } from '../../render/draw-live.ts'
import { toInertLine, toInertMarkdown } from '../render/to-inert-markdown.ts'

/** Maximum length of a word in UTF-16 units; longer ones are cut. */
const longestWord = 60

export type Chunk = types.AnyChunk
type Task = types.TaskUpdateChunk

/** Maximum size of a stream as JSON: Slack allows 12,000 characters of markdown, and about 13,000 in all blocks. */
const maxJson = 9_000
/** Slack allows 256 characters. */
const longestTitle = 200
const working = 'Working…'

/** Computes what to append to a stream (SLACK-03, SLACK-05). Text is appended, steps change in place; both are made inert. */
export class TurnStream {
  /** Display of steps: all in one plan, or each at its position. */
  readonly mode: 'plan' | 'timeline'
  readonly #tasks = new Map<string, Task>()
  #epoch: number | undefined
  /** Text of the current model step that Slack may have. */
  #text = ''
  #sentLength = 0
  #json = 0

  constructor(first: RunningTurn) {
    this.mode = (first.steps ?? []).length > 0 ? 'plan' : 'timeline'
  }

  /** New chunks, possibly none; undefined if the turn can no longer be shown by appending. */
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
    return this.#json + tasks > maxJson ? undefined : chunks
  }

  /** Final chunks: no step is running any more. */
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
      this.#sentLength = 0
    }
    if (text !== '' && !text.startsWith(this.#text.slice(0, this.#sentLength))) return undefined
    if (text !== '') this.#text = text
    // A turn that runs a tool or thinks again has finished its text.
    if (turn.doing !== 'writing') return `${before}${this.#rest()}`
    const upTo = Math.max(this.#sentLength, settledLength(this.#text))
    const words = this.#text.slice(this.#sentLength, upTo)
    this.#sentLength = upTo
    return `${before}${words}`
  }

  /** Text that was held back, as the end of a paragraph. */
  #rest(): string {
    const rest = this.#text.slice(this.#sentLength)
    this.#sentLength = this.#text.length
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

/** Puts everything into the title, which is plain text: Slack parses details and output as markdown, and only appends to them. */
function toTask({ id, tool, elapsedMs, lastLine, isOver }: RunningStep): Task {
  const words = [tool, elapsedWords(elapsedMs), lastLine].filter((each) => each.trim() !== '')
  const title = toInertLine(words.join(' · '), longestTitle)
  return { type: 'task_update', id, title, status: isOver ? 'complete' : 'in_progress' }
}

/**
 * Length of growing text that can be sent: up to the start of its last word, so that the next chunk starts neither with a
 * blank, which Slack would drop, nor within a character.
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
