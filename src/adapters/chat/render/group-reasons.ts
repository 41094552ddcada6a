/** So many may stand one by one. */
const mostAlone = 3
const form = /^(\w+) "((?:[^"\\]|\\.)+)": (.+)$/s

/**
 * Why a card asks. Reasons that differ only in the part of the call that they speak of become one, where there are many:
 * `a rule of the worker says ask: touch x; sleep 2`. Nothing is left out, and all stands in its order.
 */
export function groupReasons(reasons: readonly string[], tool: string): string[] {
  const parsed = reasons.map((reason) => ({ reason, ...partsOf(reason, tool) }))
  const groups = Map.groupBy(parsed, ({ why }) => why)
  const grouped = new Set<string>()
  return parsed.flatMap(({ reason, why }) => {
    const members = why === undefined ? [] : (groups.get(why) ?? [])
    if (why === undefined || members.length <= mostAlone) return [reason]
    if (grouped.has(why)) return []
    grouped.add(why)
    return [`${why}: ${members.map(({ about }) => about).join('; ')}`]
  })
}

/** What a reason says, and of what; a part that could be taken for several stays as it is. */
function partsOf(reason: string, tool: string): { readonly why?: string; readonly about?: string } {
  const [, named, about, why] = form.exec(reason) ?? []
  if (named !== tool || about === undefined || why === undefined) return {}
  return about.includes(';') ? {} : { why, about }
}
