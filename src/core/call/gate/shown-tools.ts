import { z } from 'zod'
import type { TurnRow } from '../../../db/schema.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

/** SCH-02: the tools that were chosen for a turn, by name, or all there are. */
export type ShownTools = ReadonlySet<string> | 'all'

const stored = z.union([z.literal('all'), z.array(z.string())])

/** What was chosen for a turn; where nothing was, all. */
export function shownTools({ shown_tools: text }: Pick<TurnRow, 'shown_tools'>): ShownTools {
  if (text === null) return 'all'
  const names = stored.parse(tryParseJson(text))
  return names === 'all' ? names : new Set(names)
}

/** As a turn keeps it. */
export function storedTools(shown: ShownTools): string {
  return JSON.stringify(shown === 'all' ? shown : [...shown].sort())
}
