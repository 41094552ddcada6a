import type { CoreContext } from '../core/context.ts'
import type { ShownRules } from '../core/inbox/inbound.ts'
import type { Bus } from '../ports/bus.ts'
import type { ChatPlatform } from '../ports/chat.ts'
import { type Gateway, runGateway } from './run-gateway.ts'

/** The part of a process that serves chat platforms, in a gateway of its own or in the whole product. */
export interface PlatformGateway {
  readonly ctx: CoreContext
  /** Serves a platform until the process ends. */
  serve(platform: ChatPlatform): Promise<Gateway>
}

/** Served platforms are added to `resources`, which disposes them newest first. */
export function createPlatformGateway(
  core: CoreContext,
  bus: Bus,
  resources: AsyncDisposableStack,
  rules: ShownRules,
): PlatformGateway {
  const ctx = { ...core, rules }
  return {
    ctx,
    serve: async (platform) => resources.use(await runGateway(ctx, bus, platform)),
  }
}
