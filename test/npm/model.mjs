// A model that thinks for ever: clients that need one to work wait for it, with
// their servers started.
import { createServer } from "node:http";
createServer((request) => request.resume()).listen(18080, "127.0.0.1");
