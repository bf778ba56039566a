/** Pages show the keys of a project as the API does. */
export type { KeyJson, MadeKeyJson } from '../api/key-output.ts';
