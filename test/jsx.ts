/** Lets Node load components: its stripping of types does not know JSX. Style sheets change nothing in tests. */
import { readFileSync } from 'node:fs';
import { createRequire, registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Before all else: some modules of the pages look at the document as soon as they are loaded. */
const PAGE_FIRST = `import ${JSON.stringify(import.meta.resolve('../web/ui/dom.test-support.ts'))};`;

registerHooks({
  load(url, context, nextLoad) {
    const isStyle = url.endsWith('.css');
    if (!isStyle && !url.endsWith('.tsx')) return nextLoad(url, context);
    return { format: 'module', source: isStyle ? '' : compiled(fileURLToPath(url)), shortCircuit: true };
  },
});

function compiled(path: string): string {
  // Vite brings it. Most tests do not load it.
  const { transformSync } = require('rolldown/utils') as typeof import('rolldown/utils');
  const { code, errors } = transformSync(path, readFileSync(path, 'utf8'), { jsx: { runtime: 'automatic' } });
  if (errors.length > 0) throw new SyntaxError(errors.map(({ message }) => message).join('\n'));
  return path.endsWith('.test.tsx') ? PAGE_FIRST + code : code;
}
