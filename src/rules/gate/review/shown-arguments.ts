import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'

/** Redacts the secrets in a text; undefined: they hide a part of it. */
export type HideSecrets = (text: string) => string | undefined

/**
 * POL-05: a call's arguments for the reviewer as JSON text: whole, except for the secrets in each decoded string, so that an
 * escape in the text hides no secret. undefined: the rest would not show what the call does.
 */
export function shownArguments(text: string, hide: HideSecrets): string | undefined {
  const parsed = text.trim() === '' ? {} : tryParseJson(text)
  try {
    return JSON.stringify(shown(parsed === undefined ? text : parsed, hide))
  } catch (error) {
    if (error instanceof HiddenPart) return undefined
    throw error
  }
}

class HiddenPart extends Error {}

function shown(value: unknown, hide: HideSecrets): unknown {
  if (typeof value === 'string') return clean(value, hide)
  if (Array.isArray(value)) return value.map((item) => shown(item, hide))
  if (!isRecord(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [clean(name, hide), shown(item, hide)]),
  )
}

function clean(text: string, hide: HideSecrets): string {
  const rest = hide(text)
  if (rest === undefined) throw new HiddenPart()
  return rest
}
