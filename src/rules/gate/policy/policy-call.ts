import { type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import { decodePercent } from '../../web/decode-percent.ts'
import { toUrlForms } from '../../web/url-forms.ts'
import type { GateCall, GateFacts } from '../gate-facts.ts'
import type { PathValue } from '../values.ts'

/** What rules of the policy are tried on. Made when a rule first needs it. */
export interface PolicyCall {
  readonly tool: string
  readonly paths: () => Tried<readonly PathForms[]>
  readonly texts: () => Tried<string>
}

/**
 * An allow must hold for each, so that nothing rides on what it names; for a deny any is enough. `isCut`: there is more
 * than is looked at, so that every deny holds; `isKnown`: each is in `each`, without which no allow holds.
 */
export interface Tried<T> {
  readonly each: readonly T[]
  readonly any: readonly T[]
  readonly isKnown: boolean
  readonly isCut: boolean
}

const maxTexts = 4_000
const maxCharacters = 1_048_576

/** A call of any tool but bash: its paths in every form, canonical ones too, and all texts among its arguments, URLs in every spelling. */
export function toPolicyCall(
  call: GateCall,
  named: readonly PathValue[],
  facts: Pick<GateFacts, 'workspace'>,
): PolicyCall {
  return {
    tool: call.spec.name,
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

/** Expressions may care for case, which the other forms have lost. */
function spellingsOf(url: string): readonly string[] {
  const sent = toSent(url)
  return [sent, decodePercent(sent), ...toUrlForms(url).texts]
}

/** Texts that are more than can be tried in a reasonable time are said to be so. */
export function bounded(texts: Omit<Tried<string>, 'isCut'>): Tried<string> {
  const any = [...new Set(texts.any)]
  const characters = any.reduce((sum, text) => sum + text.length, 0)
  const isCut = any.length > maxTexts || characters > maxCharacters
  return { ...texts, each: [...new Set(texts.each)], any, isCut }
}

/** Every text among arguments, however deep it lies, and the names that it lies under, which a caller may choose too. */
function textsIn(args: GateCall['args']): { readonly values: string[]; readonly names: string[] } {
  const values: string[] = []
  const names: string[] = []
  const open: unknown[] = Object.values(args)
  // It grows while it is gone through.
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
