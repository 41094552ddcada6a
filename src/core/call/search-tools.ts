import { saveShownTools } from '../../db/call/shown-tools.ts'
import { getTurn } from '../../db/turn/turns.ts'
import { isHidden } from '../../rules/gate/gate.ts'
import { offeredToModels } from '../../rules/tools/registry.ts'
import { namedIn } from '../../rules/tools/shown/choose-tools.ts'
import { toolWords } from '../../rules/tools/shown/tool-text.ts'
import { createWordIndex } from '../../rules/tools/shown/word-index.ts'
import type { ToolSpec } from '../../rules/tools/tool-spec.ts'
import { shorten } from '../../util/text/shorten.ts'
import type { GateTransaction } from './gate/load-facts.ts'
import { shownTools, storedTools } from './gate/shown-tools.ts'

const mostFound = 10
const mostNamed = 200
const longestDescription = 300

/**
 * SCH-02: the tools nearest to a query among those that the turn does not show; they are shown from its next step on. What was
 * not found is listed by name, so that a query can name it: words alone miss about half.
 */
export async function searchTools(tx: GateTransaction, query: string): Promise<string> {
  const shown = shownTools(await getTurn(tx.db, tx.turn.id))
  if (shown === 'all') return '[every tool there is stands in the catalogue]'
  const left = offeredToModels(tx.ctx.tools).filter(
    (spec) => !shown.has(spec.name) && !tx.facts.unmet?.has(spec.name) && !isHidden(spec, tx.facts),
  )
  const found = nearest(query, left)
  const names = found.map(({ name }) => name)
  await saveShownTools(tx.db, tx.turn.id, storedTools(new Set([...shown, ...names])))
  const others = left.map(({ name }) => name).filter((name) => !names.includes(name))
  return [foundText(found), othersText(others)].filter(Boolean).join('\n\n')
}

/** Those that the query names, then the nearest by their words. */
function nearest(query: string, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const named = namedIn(query)
  const words = createWordIndex(tools.map(toolWords)).rank(query)
  return tools
    .map((spec, at) => {
      const isNamed = named.has(spec.name.toLowerCase())
      return { spec, score: isNamed ? 2 : (words[at] ?? 0) }
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.spec.name < b.spec.name ? -1 : 1))
    .slice(0, mostFound)
    .map(({ spec }) => spec)
}

function foundText(found: readonly ToolSpec[]): string {
  if (found.length === 0) return '[no tool was found by these words]'
  const lines = found.map(({ name, description }) => `${name}: ${oneLine(description)}`)
  return `[in the catalogue from the next step on]\n${lines.join('\n')}`
}

function oneLine(description: string): string {
  return shorten(description.replaceAll(/\s+/g, ' '), longestDescription)
}

function othersText(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > mostNamed ? `, and ${names.length - mostNamed} more` : ''
  const listed = names.slice(0, mostNamed).toSorted().join(', ')
  return `[others, to be searched for by name]\n${listed}${more}`
}
