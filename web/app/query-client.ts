import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api.ts';

const RETRIES = 2;

/** The cache of the server's answers. */
export const queries = new QueryClient({
  defaultOptions: {
    // Without network an act fails at once. It would wait otherwise, and be done when nobody expects it any more.
    mutations: { networkMode: 'always' },
    // The server would refuse again.
    queries: {
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError && error.code !== null),
    },
  },
});
