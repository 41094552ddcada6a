import { expect, test } from 'vitest'
import { createPolicy } from '../../src/rules/gate/policy/create-policy.ts'
import { configOf, loadToml, problemsOf } from './support.ts'

const toml = `
[tools.policy]
enabled = true
default_effect = "allow"
[[tools.policy.rules]]
effect = "deny"
tool = "bash"
env = ["DEPLOY_KEY", "NOT_SET", "EMPTY"]
[tools.authorization]
enabled = true
[[tools.authorization.rules]]
effect = "deny"
tool = "read"
env = ["REGION"]
args_match = "x"
trust_level = "verified"
`

test('POL-01 of the variables that rules name it is kept which are set, and no value', () => {
  const config = configOf(
    loadToml(toml, { DEPLOY_KEY: 'sesame', REGION: 'moon', EMPTY: '', OTHER: 'x' }),
  )
  expect(config.policyVariables).toEqual(['DEPLOY_KEY', 'REGION'])
  expect(JSON.stringify(config)).not.toMatch(/sesame|moon/)
})

test('POL-01 what the configuration holds is what the gate takes', () => {
  const outcome = createPolicy(configOf(loadToml(toml)).tools)
  if (outcome.kind !== 'policy') throw new Error(outcome.kind)
  expect(outcome.policy.rules.map(({ trace }) => trace)).toEqual([
    'rule[0] deny: tool=bash env=DEPLOY_KEY,NOT_SET,EMPTY',
    'authorization[0] deny: tool=read args_match=x env=REGION trust_level=verified',
  ])
})

test('POL-01 CONF-02 more than 256 rules in both sections together stop start-up', () => {
  const rules = (section: string) =>
    `[[tools.${section}.rules]]\neffect = "deny"\ntool = "x"\n`.repeat(129)
  expect(problemsOf(loadToml(rules('policy') + rules('authorization')))).toMatchObject([
    { key: 'tools.authorization.rules', message: expect.stringContaining('at most 256 together') },
  ])
})
