import type { CallKernel } from '../call/gate/call-kernel.ts'

const saveTries = 10

/** Changes a worker's rules; whoever loses a race reads again (INT-35). Answers the text that is there then. */
export async function changeRules(
  kernel: CallKernel,
  worker: string,
  change: (text: string) => string,
): Promise<string> {
  for (let attempt = 0; attempt < saveTries; attempt += 1) {
    const { text, version } = await kernel.permissions.load(worker)
    const changed = change(text)
    if (changed === text || (await kernel.permissions.save(worker, version, changed))) {
      return changed
    }
  }
  throw new Error(`the rules of worker "${worker}" could not be saved: others kept changing them`)
}
