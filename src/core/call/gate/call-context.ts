import type { Db } from '../../../db/schema.ts'
import type { PermissionsStore } from '../../../ports/permissions-store.ts'
import type { GateFacts } from '../../../rules/gate/gate.ts'
import type { Signer } from '../../../rules/jobs/sign.ts'
import type { ToolSpec } from '../../../rules/tools/tool-spec.ts'
import type { CoreContext } from '../../context.ts'
import type { ParseRules } from './rules-cache.ts'
import type { UnenrolledWorkers } from './unenrolled-workers.ts'

/** What judging and sending tool calls needs. */
export interface CallContext extends CoreContext {
  readonly tools: readonly ToolSpec[]
  /** MODEL-02: a model of this place calls tools by blocks in its text. */
  readonly callsInText: boolean
  readonly signer: Signer
  /** What the tokens by which the operator enrols workers are made from (threat 5). */
  readonly enrolmentSecret: string
  readonly unenrolledWorkers: UnenrolledWorkers
  readonly permissions: PermissionsStore
  /** The same within a transaction, which has a connection already: if all waited for another one, nobody would get it. */
  readonly permissionsIn: (db: Db) => PermissionsStore
  readonly parseRules: ParseRules
  /** APPR-21: the text of the rules that calls are also judged by; undefined: there is none that could be. */
  readonly shadowRules?: () => Promise<string | undefined>
  readonly operator: GateFacts['operator']
  /** POL-01; undefined: none is enabled. */
  readonly policy: GateFacts['policy']
  /** Names of the policy's variables that are set here. */
  readonly variables: ReadonlySet<string>
  /** POL-05; absent: calls are not reviewed. */
  readonly reviews?: GateFacts['reviews']
  readonly web: GateFacts['web']
  readonly files: {
    /** As a box with this workspace path sees them; none: the workspace alone. */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    readonly denyRead: readonly string[]
    readonly allowRead: readonly string[]
  }
  readonly commands: {
    /** What programs may reach, as above (BASH-10). */
    readonly allowed: (boxWorkspace: string) => readonly string[]
    /** Whether they get the network that the worker's operator named (BASH-06). */
    readonly network: boolean
    /** BASH-11: whether such a network is named, as far as is known here; false where that is missing. */
    readonly hasNetwork?: boolean
  }
  /** GATE-12: what no tool may touch, as a box with this workspace path sees it. */
  readonly protectedPaths: (boxWorkspace: string) => readonly string[]
}
