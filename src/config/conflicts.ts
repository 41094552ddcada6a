import type { Fault } from './explain-issue.ts'
import type { Settings } from './schema/schema.ts'

/** What is wrong only when several keys are seen together, which the file and variables may set apart. */
export function conflictsIn(settings: Settings): readonly Fault[] {
  const { model, models, approval, tools, sandbox, worker } = settings
  const conflicts: Fault[] = []
  if (model.fallback !== undefined && !Object.hasOwn(models, model.fallback)) {
    const known = Object.keys(models).join(', ') || 'none'
    const message = `names none of the models in [models.<name>] (there: ${known})`
    conflicts.push({ path: ['model', 'fallback'], message })
  }
  if (approval.route === 'channel' && approval.channel === undefined) {
    const message = '"channel" needs [approval] channel to say which one'
    conflicts.push({ path: ['approval', 'route'], message })
  }
  // BASH-07: a command may hold its own box while it waits for the one that looks after files.
  if (tools.shell.transactional && sandbox.max_boxes <= worker.concurrency) {
    const message = `must be above [worker] concurrency (${worker.concurrency}) with [tools.shell] transactional`
    conflicts.push({ path: ['sandbox', 'max_boxes'], message })
  }
  const { policy, authorization } = tools
  if (policy.rules.length + authorization.rules.length > 256) {
    const message = `has ${authorization.rules.length} rules and [tools.policy] ${policy.rules.length}: at most 256 together`
    conflicts.push({ path: ['tools', 'authorization', 'rules'], message })
  }
  return conflicts
}
