import type { CallContext } from '../call/gate/call-context.ts'

const saveTries = 10

/** Changes a worker's rules; whoever loses a race reads again (INT-35). Answers the text that is there then. */
export async function changeRules(
  ctx: CallContext,
  worker: string,
  change: (text: string) => string,
): Promise<string> {
  for (let attempt = 0; attempt < saveTries; attempt += 1) {
    const { text, version } = await ctx.permissions.load(worker)
    const changed = change(text)
    if (changed === text || (await ctx.permissions.save(worker, version, changed))) {
      return changed
    }
  }
  throw new Error(`the rules of worker "${worker}" could not be saved: others kept changing them`)
}
