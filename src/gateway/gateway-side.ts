import type { CoreContext } from '../core/context.ts'
import type { ShownRules } from '../core/inbox/shown-rules.ts'
import type { Bus } from '../ports/bus.ts'
import type { ChatPlatform } from '../ports/chat.ts'
import { type Gateway, runGateway } from './run-gateway.ts'

/** What serving chat platforms needs of a process, be it a gateway of its own or the whole product. */
export interface GatewaySide {
  readonly ctx: CoreContext
  /** Serves one platform until the process ends. */
  serve(platform: ChatPlatform): Promise<Gateway>
}

/** `resources` ends what was served, newest first. */
export function createGatewaySide(
  core: CoreContext,
  bus: Bus,
  resources: AsyncDisposableStack,
  rules: ShownRules,
): GatewaySide {
  const ctx = { ...core, rules }
  return {
    ctx,
    serve: async (platform) => resources.use(await runGateway(ctx, bus, platform)),
  }
}
