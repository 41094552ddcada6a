import { cargoSteps } from '../cargo-steps.ts'
import type { FilterRule } from '../filter-rule.ts'
import { launched } from './launcher.ts'

/** Of a compiler for another machine: `aarch64-linux-gnu-gcc`. */
const target = String.raw`(?:(?:x86_64|aarch64|arm|i[3-6]86|riscv\d\d|mips|powerpc|s390x|avr|wasm)[\w.-]{0,48}-)?`
const compilers = String.raw`(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cl|nvcc|rustc)(?:-\d{1,3})?`

/** What compiles and checks. */
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
        String.raw`^g?make(?:\[\d{1,4}\])?: (?:Entering|Leaving) directory `,
        String.raw`^g?make(?:\[\d{1,4}\])?: Nothing to be done for `,
        String.raw`^g?make(?:\[\d{1,4}\])?: .{1,256} is up to date\.$`,
        `^(?:libtool: compile: +|ccache )?${target}${compilers} .* -c(?: |$)`,
        `^(?:libtool: compile: +|ccache )?${target}${compilers} -c `,
        String.raw`^(?:/bin/)?(?:(?:ba)?sh )?(?:\.{1,2}/){0,8}libtool +--`,
        String.raw`^ {1,4}(?:\[M\] +)?(?:CC|CXX|LD|AR|AS|GEN|HOSTCC|HOSTLD|CCLD|CXXLD|RANLIB|UPD|CALL|DESCEND|CHK|INSTALL|STRIP|OBJCOPY|MKELF|DTC|SYMLINK|LDS|VDSO|EXPORTS)(?: \[M\])? +\S`,
        String.raw`^\[ *\d{1,3}%\] (?:Building|Built target|Generating|Linking|Automatic|Copying|Scanning|Creating) ?`,
        String.raw`^\[\d{1,6}/\d{1,6}\] (?:Building|Compiling|Linking|Generating|CC|CXX|ccache) ?`,
        '^(?:Consolidate compiler generated dependencies|Scanning dependencies of target) ',
        String.raw`^${target}(?:ar|ranlib) [\w./-]`,
      ],
    },
  },
  {
    name: 'docker-build',
    match: {
      regex: String.raw`^(?:docker|podman|nerdctl)(?: compose| buildx| image| builder)? (?:-\S+ \S+ )?(?:build|bake)(?: |$)`,
    },
    strategy: {
      type: 'strip_noise',
      patterns: [
        // BuildKit on a terminal
        String.raw`^ => (?:CACHED )?\[(?:[\w.-]{1,64} )?(?:internal|auth)\] `,
        '^ => => (?:#|transferring|exporting|writing|extracting|sha256:|resolve|unpacking|sending|preparing|reading|importing|inferred|copying|creating)',
        '^ => CACHED ',
        '^ => (?:exporting|resolving|transferring|sending|importing|preparing|unpacking) ',
        // BuildKit line by line
        String.raw`^#\d{1,5} (?:DONE|CACHED|\.\.\.|sha256:|resolve |transferring|extracting|exporting|writing image|unpacking|sending|preparing|reading|importing)`,
        String.raw`^#\d{1,5} \[(?:internal|auth)\] `,
        // the builder before it
        '^ ---> ',
        '^Removing intermediate container ',
        '^(?: ---> )?Running in [0-9a-f]{12}$',
        '^[0-9a-f]{12}: (?:Pulling|Waiting|Verifying|Download|Pull complete|Extracting|Already exists)',
        '^Sending build context to Docker daemon',
        // what package managers say in it
        String.raw`^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?(?:Get|Hit|Ign):\d{1,6} (?:http|file)`,
        String.raw`^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?(?:Selecting previously unselected|Preparing to unpack|Unpacking|Setting up|Processing triggers for|Reading package lists|Building dependency tree|Reading state information|\(Reading database|Fetched \d) ?`,
        String.raw`^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?(?:\(\d{1,5}/\d{1,5}\) (?:Installing|Upgrading|Purging)|fetch https?:|Executing \S{1,128}\.(?:trigger|post-install)) ?`,
        String.raw`^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?(?: *(?:Downloading|Using cached)|Requirement already satisfied|npm warn|npm notice|npm WARN deprecated) ?`,
      ],
      steps: [String.raw`^(?:#\d{1,5} \d{1,6}\.\d{1,6} )?Collecting `],
    },
  },
  {
    name: 'tsc',
    match: { regex: launched('tsc|vue-tsc') },
    strategy: {
      type: 'strip_noise',
      patterns: [
        String.raw`^\d{1,7} `,
        '^ *~+ *$',
        // Code of related places; the table at the end has rows that end in a line's number.
        String.raw`^ {3,}\d{1,7} (?:.*\D)?$`,
        String.raw`^\[?\d{1,2}:\d\d:\d\d(?: [AP]M)?\]? (?:- )?(?:Projects in this build|Project '.*' is up to date|Starting compilation|File change detected)`,
        '^$',
      ],
    },
  },
  { name: 'eslint', match: { regex: launched('eslint') }, strategy: { type: 'group_by_rule' } },
]
