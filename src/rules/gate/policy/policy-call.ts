import { type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { ToolOrigin } from '../../tools/tool-spec.ts'
import { decodePercent } from '../../web/decode-percent.ts'
import { toUrlForms } from '../../web/url-forms.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import type { PathValue } from '../values.ts'

/** The values that policy rules match, computed on first use. */
export interface PolicyCall {
  readonly tool: string
  readonly origin?: ToolOrigin | undefined
  readonly paths: () => CandidateValues<readonly PathForms[]>
  readonly texts: () => CandidateValues<string>
}

/**
 * Candidate values: an allow must match every one in `each`, so that nothing unchecked is allowed with it; a deny needs only one
 * in `any`. `isCut`: there are more values than are checked, so every deny applies; `isKnown`: `each` is complete, otherwise no
 * allow applies.
 */
export interface CandidateValues<T> {
  readonly each: readonly T[]
  readonly any: readonly T[]
  readonly isKnown: boolean
  readonly isCut: boolean
}

const maxTexts = 4_000
const maxCharacters = 1_048_576

/**
 * Converts a call of any tool but bash: its paths in all forms, canonical ones too, and all texts in its arguments, URLs in every
 * spelling.
 */
export function toPolicyCall(
  call: GateCall,
  named: readonly PathValue[],
  facts: Pick<GateFacts, 'workspace'>,
): PolicyCall {
  return {
    tool: call.spec.name,
    origin: call.spec.origin,
    paths: () => {
      const canonical = (call.canonical ?? []).map((path) => toPathForms(path, facts.workspace))
      const paths = [...named.map(({ forms }) => forms), ...canonical].map((forms) => [forms])
      return { each: paths, any: paths, isKnown: true, isCut: false }
    },
    texts: () => {
      const { values, names } = textsIn(call.args)
      const urls = values.filter((value) => /^\s*https?:/i.test(value))
      return bounded({
        each: [...values, ...urls.map(toSent)],
        any: [...values, ...urls.flatMap(spellingsOf), ...names],
        isKnown: true,
      })
    },
  }
}

function toSent(url: string): string {
  return URL.parse(url)?.href ?? url
}

/** Regular expressions may be case-sensitive, and the other forms are case-folded. */
function spellingsOf(url: string): readonly string[] {
  const sent = toSent(url)
  return [sent, decodePercent(sent), ...toUrlForms(url).texts]
}

/** Marks the texts as cut if there are more than can be checked in reasonable time. */
export function bounded(texts: Omit<CandidateValues<string>, 'isCut'>): CandidateValues<string> {
  const any = [...new Set(texts.any)]
  const characters = any.reduce((sum, text) => sum + text.length, 0)
  const isCut = any.length > maxTexts || characters > maxCharacters
  return { ...texts, each: [...new Set(texts.each)], any, isCut }
}

/** All texts in the arguments at any depth, and all property names, which a caller may choose too. */
function textsIn(args: GateCall['args']): { readonly values: string[]; readonly names: string[] } {
  const values: string[] = []
  const names: string[] = []
  const open: unknown[] = Object.values(args)
  // The list grows during iteration.
  for (const value of open) {
    if (typeof value === 'string') values.push(value)
    if (typeof value !== 'object' || value === null) continue
    for (const [name, inner] of Object.entries(value)) {
      if (!Array.isArray(value)) names.push(name)
      open.push(inner)
    }
  }
  return { values, names }
}
