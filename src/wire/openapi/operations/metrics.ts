import { errorReply, type OperationDoc, type ResponseDoc, UNAVAILABLE } from '../operation.ts';

const EXAMPLE = `# HELP hc_check_up Whether the check is currently up (1 for yes, 0 for no).
# TYPE hc_check_up gauge
hc_check_up{name="Database backup", tags="prod db", unique_key="a6c7b0a8a66bed0df66abfdab3c77736861703ee"} 1
`;

const METRICS: ResponseDoc = {
  description:
    'Families of gauges: `hc_check_up`, `hc_check_started`, `hc_check_grace`, `hc_check_paused`, `hc_tag_up`, `hc_checks_total`, `hc_checks_down_total`, `tocsin_job_last_success_timestamp_seconds`, `tocsin_job_last_duration_seconds`, `tocsin_job_last_result`, `tocsin_job_next_expected_timestamp_seconds`. A check without a value has no line.',
  content: { 'text/plain': { schema: { type: 'string' }, examples: { 'the first family': EXAMPLE } } },
};

const WRONG_LENGTH = errorReply('The key does not have 32 characters.', 'invalid api key');
const WRONG_KEY = errorReply(
  'No project has this read-only key. Read-write keys are not accepted here.',
  'wrong api key',
);

const NO_SUCH_ADDRESS = errorReply('The address does not hold the UUID of a project.', 'not found');

const DESCRIPTION =
  'The state of all checks of a project, for a Prometheus server to scrape. The key alone decides which project it is.';

export const scrapeProject: OperationDoc = {
  id: 'scrapeProject',
  group: 'Metrics',
  summary: 'Scrape a project',
  description: `${DESCRIPTION} The key is sent as a bearer token.`,
  responses: {
    200: METRICS,
    400: WRONG_LENGTH,
    401: errorReply('There is no `Authorization: Bearer` header.', 'missing api key'),
    403: WRONG_KEY,
    404: NO_SUCH_ADDRESS,
    503: UNAVAILABLE,
  },
};

const responses = {
  200: METRICS,
  400: WRONG_LENGTH,
  403: WRONG_KEY,
  404: NO_SUCH_ADDRESS,
  503: UNAVAILABLE,
};

export const scrapeProjectByUrl: OperationDoc = {
  id: 'scrapeProjectByUrl',
  group: 'Metrics',
  summary: 'Scrape a project, key in the address',
  description: `${DESCRIPTION} For servers that cannot send headers: the key is part of the address.`,
  responses,
};

export const scrapeChecksByUrl: OperationDoc = {
  id: 'scrapeChecksByUrl',
  group: 'Metrics',
  summary: 'Scrape a project, older address',
  description: `${DESCRIPTION} An older address of the same.`,
  responses,
};
