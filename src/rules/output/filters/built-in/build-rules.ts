import type { FilterRule } from '../filter-rule.ts'
import { cargoSteps } from '../find-noise.ts'
import { compileCommand, launched, target } from './command-patterns.ts'
import { imageNoise, imageSteps } from './image-noise.ts'

/** Rules for compilers, builds and static checks. */
export const buildRules: readonly FilterRule[] = [
  {
    name: 'clippy',
    match: { regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*clippy(?: |$)` },
    strategy: { type: 'group_by_rule' },
  },
  {
    name: 'cargo-build',
    match: {
      regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*(?:build|b|check|c|run|r|install|fetch)(?: |$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: cargoSteps.map((step) => `^${step}`),
    },
  },
  {
    name: 'make',
    match: { regex: '^(?:g?make|ninja|cmake --build)(?: |$)' },
    strategy: {
      type: 'strip_noise',
      patterns: [
        String.raw`^g?make(?:\[\d{1,4}\])?: Nothing to be done for `,
        String.raw`^g?make(?:\[\d{1,4}\])?: .{1,256} is up to date\.$`,
        `^${compileCommand}`,
        String.raw`^(?:/bin/)?(?:(?:ba)?sh )?(?:\.{1,2}/){0,8}libtool +--`,
        String.raw`^ {1,4}(?:\[M\] +)?(?:CC|CXX|LD|AR|AS|GEN|HOSTCC|HOSTLD|CCLD|CXXLD|RANLIB|UPD|CALL|DESCEND|CHK|INSTALL|STRIP|OBJCOPY|MKELF|DTC|SYMLINK|LDS|VDSO|EXPORTS)(?: \[M\])? +\S`,
        String.raw`^\[ *\d{1,3}%\] (?:Building|Built target|Generating|Linking|Automatic|Copying|Scanning|Creating) ?`,
        String.raw`^\[\d{1,6}/\d{1,6}\] (?:Building|Compiling|Linking|Generating|CC|CXX|ccache) ?`,
        '^(?:Consolidate compiler generated dependencies|Scanning dependencies of target) ',
        String.raw`^${target}(?:ar|ranlib) [\w./-]`,
      ],
      // Paths in an error are relative to that directory.
      steps: [String.raw`^g?make(?:\[\d{1,4}\])?: (?:Entering|Leaving) directory `],
    },
  },
  {
    name: 'docker-build',
    match: {
      regex: String.raw`^(?:(?:docker|podman|nerdctl)(?: compose| buildx| image| builder)?|docker-compose|podman-compose)(?: -\S+(?: [^\s-]\S*)?){0,8} (?:build|bake)(?: |$)`,
    },
    strategy: { type: 'strip_noise', patterns: [...imageNoise], steps: [...imageSteps] },
  },
  {
    name: 'tsc',
    match: { regex: launched('tsc|vue-tsc') },
    strategy: {
      type: 'strip_noise',
      patterns: [
        String.raw`^\d{1,7} `,
        '^ *~+ *$',
        // Source lines of related locations; rows of the final table end in a line number and stay.
        String.raw`^ {3,}\d{1,7} (?:.*\D)?$`,
        String.raw`^\[?\d{1,2}:\d\d:\d\d(?: [AP]M)?\]? (?:- )?(?:Projects in this build|Project '.*' is up to date|Starting compilation|File change detected)`,
        '^$',
      ],
    },
  },
  { name: 'eslint', match: { regex: launched('eslint') }, strategy: { type: 'group_by_rule' } },
]

const git = String.raw`^git (?:(?:-[Cc] [^\s-]\S*|--?[a-z]\S*) )*`
const listing = { type: 'truncate', max_lines: 150, head: 100, tail: 30 } as const

/** Rules for git and for programs that list files. */
export const fileRules: readonly FilterRule[] = [
  {
    name: 'git-status',
    match: { regex: `${git}status(?: |$)` },
    strategy: { type: 'git_status' },
  },
  {
    name: 'git-diff',
    match: { regex: `${git}(?:diff|show)(?: |$)` },
    strategy: { type: 'git_diff', max_diff_lines: 500 },
  },
  {
    name: 'git-log',
    match: { regex: `${git}(?:log|reflog|shortlog)(?: |$)` },
    strategy: {
      type: 'truncate',
      max_lines: 160,
      head: 120,
      tail: 20,
      // Commit messages, which may follow a hash and a graph.
      quotes: String.raw`^(?: {4}|[*|\\/_ ]{0,64}[0-9a-f]{7,40} |Author: )`,
    },
  },
  {
    name: 'ls',
    match: { regex: '^(?:ls|ll|dir|exa|eza)(?: |$)' },
    // `ls -R` prints each directory above its entries.
    strategy: { ...listing, headings: [String.raw`^(?:\S.*)?[\w./].*:$`] },
  },
  {
    name: 'find',
    match: { regex: '^(?:find|fd|fdfind|git ls-files)(?: |$)' },
    strategy: listing,
  },
  { name: 'tree', match: { regex: '^tree(?: |$)' }, strategy: listing },
]

const testSummary = { type: 'test_summary' } as const

/** Rules for test runners. */
export const testRules: readonly FilterRule[] = [
  {
    name: 'cargo-test',
    match: { regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*(?:test|t)(?: |$)` },
    strategy: testSummary,
  },
  {
    name: 'cargo-nextest',
    match: { regex: String.raw`^cargo (?:\+\S+ )?(?:-\S+ )*nextest(?: |$)` },
    strategy: testSummary,
  },
  {
    name: 'pytest',
    match: { regex: launched(String.raw`pytest|py\.test`) },
    strategy: testSummary,
  },
  {
    name: 'go-test',
    match: { regex: String.raw`^(?:go (?:-C \S+ )?test|gotestsum)(?: |$)` },
    strategy: testSummary,
  },
  { name: 'vitest', match: { regex: launched('vitest|jest') }, strategy: testSummary },
  { name: 'playwright', match: { regex: launched('playwright test') }, strategy: testSummary },
  {
    name: 'gradle',
    match: { regex: '^(?:gradle|gradlew)(?: |$)' },
    strategy: testSummary,
  },
]
