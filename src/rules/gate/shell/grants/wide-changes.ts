/** Programs that make or test, and take nothing away. */
export const changingPrograms: readonly string[] = [
  'mkdir touch tsc eslint stylelint oxlint jest vitest pytest unittest compileall mocha ava rspec phpunit rubocop markdownlint',
]

/** Commands that do one kind of thing whatever their further words say, but for those that `wide-guards.ts` holds back. */
export const changingCommands: Readonly<Record<string, string>> = {
  git: 'add commit push pull fetch merge switch',
  'git checkout': '-b',
  'git restore': '--staged',
  'git remote': 'add',
  npm: 'test t start',
  pnpm: 'test start',
  yarn: 'test start',
  bun: 'test',
  docker: 'build',
  'docker compose': 'up build',
  'docker-compose': 'up build',
  'podman compose': 'up build',
  cargo: 'build b test t check c clippy bench doc',
  'cargo nextest': 'run',
  go: 'build test fmt',
  dotnet: 'build test',
  mvn: 'test compile verify package',
  gradle: 'test build check assemble',
  cabal: 'build test',
  stack: 'build test',
  dune: 'build test',
  mix: 'test compile',
  rails: 'test',
  flutter: 'test',
  dart: 'test',
  ng: 'test',
  nx: 'test lint build',
  playwright: 'test',
  cypress: 'run',
  meson: 'test',
}

/** Programs and commands whose next word is the name of a script or target of the workspace, which stays in the pattern. */
export const runsByName: readonly string[] = [
  'npm run',
  'npm run-script',
  'pnpm run',
  'yarn run',
  'bun run',
  'turbo run',
  'lerna run',
  'make',
  'gmake',
]
