/** To be preloaded: breaks the program in the way that `MUTATION` names, as its modules are loaded. */
import { registerHooks } from 'node:module';
import { MUTATIONS } from './mutations.ts';

const mutation = MUTATIONS.find(({ name }) => name === process.env.MUTATION);
if (mutation === undefined) throw new Error(`there is no mutation called ${process.env.MUTATION}`);

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/${mutation.file}`)) return loaded;
    const source = String(loaded.source);
    if (!source.includes(mutation.find)) {
      throw new Error(
        `${mutation.file} has changed: the mutation "${mutation.name}" does not apply any more`,
      );
    }
    return { ...loaded, source: source.replace(mutation.find, () => mutation.replace) };
  },
});
