// ForceAtlas2 in a worker, so that the page stays smooth. It is told nodes and edges, and answers with places.
self.DOMParser = self.Document = class {}; // the library names them as it loads, for files that are not used here
onmessage = ({ data: { scripts, nodes, edges, most, milliseconds } }) => {
  importScripts(...scripts);
  const graph = new graphology.MultiGraph(), layout = graphologyLibrary.layoutForceAtlas2;
  for (const [key, x, y, size] of nodes) graph.addNode(key, { x, y, size });
  for (const [from, to] of edges) graph.addEdge(from, to);
  const settings = { ...layout.inferSettings(graph), gravity: 0.6, scalingRatio: 12, slowDown: 4, barnesHutOptimize: graph.order > 600 };
  const tell = (isDone) => postMessage({ isDone, places: graph.mapNodes((_, { x, y }) => [x, y]) });
  const pause = graph.order > 1500 ? 3000 : 150; // milliseconds between two drawings: those of a large graph take long
  const began = performance.now();
  let told = began;
  for (let done = 0; done < most && performance.now() - began < milliseconds; done += 3) {
    layout.assign(graph, { iterations: 3, settings });
    if (performance.now() - told < pause) continue;
    tell(false);
    told = performance.now();
  }
  tell(true);
};
