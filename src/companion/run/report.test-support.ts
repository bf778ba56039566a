import type { ReportOptions } from './report.ts';

/** What a run reports if nobody says otherwise. */
export const USUAL_REPORT: ReportOptions = {
  'success-codes': [0],
  'on-success': 'success',
  'on-failure': 'exit',
  output: 'tail',
  'output-on': 'always',
  'output-limit': null,
  'no-summary': false,
};
