/** The thread of `provision/file.ts` in the package of the client. */
import './older-node.ts';
import '../provision/parse-thread.ts';
