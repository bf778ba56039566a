import '../ui/base.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiError } from './api.ts';
import { createPageRouter } from './router.tsx';

const RETRIES = 2;

const queries = new QueryClient({
  defaultOptions: {
    // What the server refuses, it would refuse again.
    queries: {
      retry: (count, error) => count < RETRIES && !(error instanceof ApiError && error.code !== null),
    },
  },
});
const router = createPageRouter(queries);

const element = document.getElementById('root');
if (element === null) throw new Error('the page has no root');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
