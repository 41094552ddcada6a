import type { SchemaFilter } from '../../../domain/tool/tool-view.ts'
import type { ToolSpec } from '../tool-spec.ts'
import { toolWords } from './shown-schema.ts'
import type { ChoiceReason, ToolChoice, ToolScore } from './tool-choice.ts'
import { createWordIndex, wordsOf } from './word-index.ts'

export interface ToolsToChoose {
  /** Tools that may be called now, or later in the turn once others have succeeded. */
  readonly tools: readonly ToolSpec[]
  /** The user's message. */
  readonly message: string
  /** Tools already called in the session. */
  readonly used: ReadonlySet<string>
  /** Tools that wait for others (SCH-03); they do not use up places. */
  readonly waiting: ReadonlySet<string>
  /** By tool name, 0 to 1; absent if there are no embeddings. */
  readonly similarities?: ReadonlyMap<string, number> | undefined
  /** A tool's bonus for satisfied preferences. */
  readonly boostOf: (tool: string) => number
  readonly filter: SchemaFilter
}

/**
 * SCH-02: chooses the tools that a model is shown for a message, each with the reason. A small set is shown whole. Of a large
 * one: those always on, named, with a short description, or used before; then, with embeddings, the most similar. Deterministic.
 */
export function chooseTools(asked: ToolsToChoose): readonly ToolChoice[] {
  const { tools, filter, similarities } = asked
  if (tools.length <= filter.aboveTools) return tools.map(({ name }) => shown(name, 'few'))
  const named = namedIn(asked.message)
  const early = tools.map((spec) => [spec, earlyReason(spec, named, asked)] as const)
  const chosen = early.flatMap(([{ name }, why]) => (why === undefined ? [] : [shown(name, why)]))
  const rest = early.flatMap(([spec, why]) => (why === undefined ? [spec] : []))
  const others = similarities === undefined ? rest.map(notCompared) : byScore(rest, asked)
  return [...chosen, ...others]
}

function shown(tool: string, why: ChoiceReason): ToolChoice {
  return { tool, isShown: true, why }
}

function notCompared({ name }: ToolSpec): ToolChoice {
  return { tool: name, isShown: false, why: 'not compared' }
}

/** The reason to show a tool regardless of its score, if any. */
function earlyReason(
  spec: ToolSpec,
  named: ReadonlySet<string>,
  { used, filter }: ToolsToChoose,
): ChoiceReason | undefined {
  if (filter.alwaysOn.includes(spec.name)) return 'always on'
  if (named.has(spec.name.toLowerCase())) return 'named'
  if (used.has(spec.name)) return 'used'
  const words = wordsOf(spec.description).length
  return words < filter.minDescriptionWords ? 'short description' : undefined
}

/** All words of a message that could be a tool's name. */
export function namedIn(message: string): ReadonlySet<string> {
  return new Set(message.toLowerCase().match(/[a-z0-9_-]+/g) ?? [])
}

/** Highest score first, ties by name. */
function byScore(specs: readonly ToolSpec[], asked: ToolsToChoose): readonly ToolChoice[] {
  const words = createWordIndex(asked.tools.map(toolWords)).rank(asked.message)
  const wordsByName = new Map(asked.tools.map(({ name }, at) => [name, words[at] ?? 0]))
  const scored = specs.map(({ name }) => {
    const similarity = asked.similarities?.get(name) ?? 0
    return { name, score: toScore(similarity, wordsByName.get(name) ?? 0, asked.boostOf(name)) }
  })
  scored.sort((a, b) => b.score.total - a.score.total || (a.name < b.name ? -1 : 1))
  let taken = 0
  return scored.map(({ name, score }): ToolChoice => {
    const isNear = score.total >= asked.filter.threshold
    const isShown = isNear && taken < asked.filter.topK
    if (isShown && !asked.waiting.has(name)) taken++
    if (isShown) return { tool: name, isShown, why: 'similar', score }
    return { tool: name, isShown, why: isNear ? 'outranked' : 'dissimilar', score }
  })
}

/** The word score counts half, since either score may be right alone: 1 − (1 − similarity) · (1 − words / 2), plus the boost. */
function toScore(similarity: number, words: number, boost: number): ToolScore {
  const fused = 1 - (1 - similarity) * (1 - words / 2)
  return { similarity, words, boost, total: Math.min(1, fused + boost) }
}
