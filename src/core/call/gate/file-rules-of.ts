import { type GateFacts, reachOf } from '../../../rules/gate/gate.ts'
import { denyGlobs } from '../../../rules/gate/paths/judged-paths.ts'
import type { JobHeader } from '../../../rules/jobs/contract.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import type { CallContext } from './call-context.ts'

/** Where a call of this tool may go in its box, by the rules as they are now. */
export function fileRulesOf(
  { files }: Pick<CallContext, 'files'>,
  spec: ToolSpec,
  facts: GateFacts,
): JobHeader['rules'] {
  return {
    workspace: facts.workspace,
    allowed: [...reachOf(spec, facts)],
    denyRead: [...files.denyRead],
    allowRead: [...files.allowRead],
    denyByRule: [...denyGlobs(spec, facts)],
    masked: [...facts.protectedPaths],
  }
}
