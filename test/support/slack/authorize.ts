import type { AppState } from './apps.ts'
import { Refusal } from './limits/refusal.ts'
import type { Method } from './methods/method.ts'

/** Refuses a call whose token is missing, unknown, of the wrong kind, or without the scopes. */
export function authorize(app: AppState, method: Method, token: string | undefined): void {
  if (token === undefined || token === '') throw new Refusal('not_authed')
  const kind = kindOf(app, token)
  if (kind === undefined) throw new Refusal('invalid_auth')
  if (kind === 'revoked') throw new Refusal('account_inactive')
  if (kind !== method.token) throw new Refusal('not_allowed_token_type')
  const granted = kind === 'bot' ? app.scopes : app.appScopes
  const missing = method.scopes.filter((scope) => !granted.has(scope))
  if (missing.length === 0) return
  throw new Refusal('missing_scope', {
    needed: method.scopes.join(','),
    provided: [...granted].join(','),
  })
}

function kindOf(app: AppState, token: string): 'bot' | 'app' | 'revoked' | undefined {
  if (token === app.botToken) return app.installed ? 'bot' : 'revoked'
  return token === app.appToken ? 'app' : undefined
}
