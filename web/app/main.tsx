import '../ui/base.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { LucideProvider } from 'lucide-react';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { watchScripts } from './missing-scripts.ts';
import { queries } from './query-client.ts';
import { createPageRouter } from './router.tsx';
import { FirstPage } from './waiting.tsx';

watchScripts();
const router = createPageRouter(queries);

const element = document.getElementById('root');
if (element === null) throw new Error('the page has no root');
createRoot(element).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <LucideProvider strokeWidth={1.5}>
        <RouterProvider router={router} />
        <FirstPage router={router} />
      </LucideProvider>
    </QueryClientProvider>
  </StrictMode>,
);
