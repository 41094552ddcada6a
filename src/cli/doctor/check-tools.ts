import { idleSections } from '../../app/idle-sections.ts'
import { idleRules, unknownTools } from '../../app/unknown-tools.ts'
import type { Config } from '../../config/config.ts'
import { type Finding, fail, warn } from './finding.ts'

/** SCH-03: checks that tools named in the configuration exist. */
export function checkTools(config: Config): readonly Finding[] {
  const mend = 'countersign tools list shows the names'
  return [
    ...unknownTools(config).map((problem) => fail('tools', problem, mend)),
    ...idleRules(config).map((problem) => warn('tools', problem, mend)),
    ...idleSections(config).map((problem) => warn('configuration', problem, 'leave it out')),
  ]
}
