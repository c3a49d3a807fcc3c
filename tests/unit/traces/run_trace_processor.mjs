// Runs Perfetto's trace processor: node run_trace_processor.mjs FOLDER < requests > replies
//
// FOLDER holds Perfetto's page. Its engine is a web worker, which sends and receives messages through a port; requests
// and replies are `TraceProcessorRpcStream` messages.
import * as fs from 'node:fs';
import * as path from 'node:path';
import * as vm from 'node:vm';

const [, , folder] = process.argv;
const read = (name) => fs.readFileSync(path.join(folder, path.basename(name)));

class FileRequest {
    open(_method, name) { this.name = name; }
    send() { this.response = read(this.name); }
}

// The globals of a web worker that the engine uses. None is Node's own, before which the engine would refuse to start.
const worker = vm.createContext({
    console: { log: console.error, warn: console.error, error: console.error },
    crypto, performance, setTimeout, TextDecoder, TextEncoder, URL,
    location: { href: 'file:///engine_bundle.js' },
    WorkerGlobalScope: class {},
    XMLHttpRequest: FileRequest,
});
worker.self = worker;
vm.runInContext(read('engine_bundle.js').toString(), worker);

const port = {
    postMessage(reply) {
        for (let written = 0; written < reply.length;) written += fs.writeSync(1, reply, written);
    },
};
worker.onmessage({ data: port });
await new Promise((resolve) => setImmediate(resolve)); // the engine is ready in the microtasks after its start
worker.requests = fs.readFileSync(0);
worker.port = port;
vm.runInContext('port.onmessage({ data: new Uint8Array(requests) })', worker);
