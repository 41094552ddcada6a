import { byPattern, type SecretRule } from '../secret-rule.ts'
import { alnum, hex, shortToken, token, tokenEnd, withPrefix, word } from '../token.ts'

/** Package and image registries. */
export const registryRules: readonly SecretRule[] = [
  withPrefix('npm-token', 'npm_', `[A-Za-z0-9]{36}${tokenEnd}`),
  byPattern(
    'npm-token',
    ['_authtoken'],
    String.raw`_authToken[ \t]{0,4}=[ \t]{0,4}["']?([A-Za-z0-9+/=_.-]{16,4096})`,
    { flags: 'i' },
  ),
  byPattern(
    'npm-auth',
    ['_auth=', '_auth =', '_password='],
    String.raw`(?<![A-Za-z0-9])_(?:auth|password)[ \t]{0,4}=[ \t]{0,4}["']?([A-Za-z0-9+/]{8,1024}={0,2})`,
  ),
  byPattern('pypi-token', ['pypi-'], 'pypi-[A-Za-z0-9_-]{50,1024}'),
  token('rubygems-key', 'rubygems_', hex, 48),
  shortToken('nuget-key', 'oy2', '[a-z0-9]', 43),
  shortToken('crates-token', ['cio'], alnum, 32),
  token('clojars-token', 'CLOJARS_', alnum, 60),
  token('artifactory-key', 'AKCp', alnum, 60, 80),
  token('artifactory-token', 'cmVmd', alnum, 59, 80),
  token('docker-token', ['dckr_pat_', 'dckr_oat_'], word, 24),
  token('packagist-token', ['packagist_ors_', 'packagist_uut_', 'packagist_ort_'], word, 30),
  token('jsr-token', ['jsrp_', 'jsrd_'], alnum, 20),
  token('huggingface-token', ['api_org_'], alnum, 30),
  shortToken('huggingface-token', 'hf_', alnum, 30, 255),
  // Their usual length, in which few capitals may make random letters look like words.
  withPrefix('huggingface-token', 'hf_', `[A-Za-z]{34}${tokenEnd}`),
]
