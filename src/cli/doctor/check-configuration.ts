import type { Config } from '../../config/config.ts'
import type { ConfigProblem } from '../../config/problems.ts'
import { type Finding, fail, ok } from './finding.ts'

export function checkConfiguration(config: Config): Finding {
  const words = config.configFile ?? `no countersign.toml in ${config.configDir}: defaults`
  return ok('configuration', words)
}

/** Returns one finding for each problem. */
export function configurationFailures(problems: readonly ConfigProblem[]): readonly Finding[] {
  return problems.map(({ source, line, key, message }) => {
    const place = line === undefined ? source : `${source}:${line}`
    const words = key === undefined ? message : `${key}: ${message}`
    return fail('configuration', `${place}: ${words}`, 'docs/configuration.md lists every key')
  })
}
