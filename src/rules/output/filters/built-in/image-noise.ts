import { compileCommand } from './command-patterns.ts'

/** BuildKit's prefix of each line that a step prints. */
const step = String.raw`(?:#\d{1,5} \d{1,6}\.\d{1,6} )?`
/** Stage of a step and, in builds by compose, the service. */
const stage = String.raw`(?:[\w.-]{1,64} ){0,2}`

/** Lines printed during an image build that are useless afterwards. */
export const imageNoise: readonly string[] = [
  // BuildKit on a terminal
  String.raw`^\[\+\] Building \S{1,12}s \(\d{1,5}/\d{1,5}\)(?: +[a-z][\w-]*:\S+)?$`,
  String.raw`^ => (?:CACHED )?\[${stage}(?:internal|auth)\] `,
  '^ => => (?:#|transferring|exporting|writing|extracting|sha256:|resolve|unpacking|sending|preparing|reading|importing|inferred|copying|creating)',
  '^ => CACHED ',
  '^ => (?:exporting|resolving|transferring|sending|importing|preparing|unpacking) ',
  // For the failing step BuildKit adds ERROR.
  String.raw`^ => \[${stage}\d{1,4}/\d{1,4}\] `,
  // BuildKit line by line
  '^#0 building with ',
  String.raw`^#\d{1,5} (?:DONE|CACHED|\.\.\.|sha256:|resolve |transferring|extracting|exporting|writing image|unpacking|sending|preparing|reading|importing)`,
  String.raw`^#\d{1,5} \[${stage}(?:internal|auth)\] `,
  String.raw`^#\d{1,5} \d{1,6}\.\d{1,6} *$`,
  // The legacy builder
  '^ ---> ',
  '^Removing intermediate container ',
  '^(?: ---> )?Running in [0-9a-f]{12}$',
  '^[0-9a-f]{12}: (?:Pulling|Waiting|Verifying|Download|Pull complete|Extracting|Already exists)',
  '^Sending build context to Docker daemon',
  // Package managers and compilers within the build
  `^${step}(?:Get|Hit|Ign):\\d{1,6} (?:http|file)`,
  `^${step}(?:Selecting previously unselected|Preparing to unpack|Unpacking|Setting up|Processing triggers for|Reading package lists|Building dependency tree|Reading state information|\\(Reading database|Fetched \\d|Need to get \\d|After this operation, \\d|debconf: ) ?`,
  `^${step}(?:\\(\\d{1,5}/\\d{1,5}\\) (?:Installing|Upgrading|Purging)|fetch https?:|Executing \\S{1,128}\\.(?:trigger|post-install)) ?`,
  `^${step}(?: *(?:Downloading|Using cached)|Requirement already satisfied|npm warn|npm notice|npm WARN deprecated) ?`,
  `^${step}${compileCommand}`,
]

/** Noise, except that the last one before a failure tells which step failed. */
export const imageSteps: readonly string[] = [
  `^${step}Collecting `,
  String.raw`^#\d{1,5} \[${stage}\d{1,4}/\d{1,4}\] (?:FROM|COPY|ADD|WORKDIR) `,
]
