import { createBubblewrapDriver } from '../../../src/edges/sandbox/bubblewrap/bubblewrap-driver.ts'
import { sandboxContract } from '../../contract/sandbox.ts'
import { requirement } from '../../support/requirements.ts'

sandboxContract('bubblewrap', requirement.bubblewrap, createBubblewrapDriver)
