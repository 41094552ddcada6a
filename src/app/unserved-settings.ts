import type { Config } from '../config/config.ts'

/**
 * Settings that promise a protection which this version does not have. To start all the same would fail open, so
 * start refuses them, each by its key.
 */
export function unservedSettings(config: Config): readonly string[] {
  const { tools, approval, budgets } = config
  const promised: readonly (readonly [string, boolean])[] = [
    ['[tools.policy] enabled', tools.policy.enabled],
    ['[tools.authorization] enabled', tools.authorization.enabled],
    ['[tools.adversarial_policy] enabled', tools.adversarialPolicy.enabled],
    ['[approval] allow_self = false', !approval.allowSelf],
    ['[[approval.quorum]]', approval.quorum.length > 0],
    ['[approval.people]', Object.values(approval.people).some((count) => count > 1)],
    ['[approval.roles]', Object.values(approval.roles).some((role) => role !== 'user')],
    ['[approval] route', approval.route !== 'conversation'],
    ['[budgets]', hasLimit(budgets.caller) || hasLimit(budgets.session)],
    ['SLACK_BOT_TOKEN', config.secrets.slackBotToken !== undefined],
  ]
  return promised
    .filter(([, isSet]) => isSet)
    .map(([key]) => `${key}: this version does not do this yet; take it out to start without it`)
}

function hasLimit(limits: Readonly<Record<string, unknown>>): boolean {
  return Object.values(limits).some((value) => value !== undefined)
}
