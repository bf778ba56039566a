import { component, object, text } from '../openapi/schema.ts';

/** The body of every refusal. */
export interface ErrorJson {
  error: string;
}

export const ERROR_SCHEMA = component(
  'Error',
  object<ErrorJson>({ error: text('What was wrong, in a few words.') }),
);
